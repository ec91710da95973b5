/** MurmurHash3's mixing over UTF-16 units, 32 bits. It has no key: what it hashes are fingerprints or masked texts. */
export function hashText(text: string, seed: number): number {
  let hash = 0x2545f491 ^ seed;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
