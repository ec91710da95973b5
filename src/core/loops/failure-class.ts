// Classifies a failure by its code and by the common error words in its template. The class determines the
// cause, and joins failures of several tools for one reason.

/** '' is any other failure. */
export type FailureClass = '' | 'permission' | 'server' | 'busy' | 'absent';

const PERMISSION =
  /(?:^|[^0-9])(?:401|403)$|denied|forbidden|unauthori[sz]ed|not (?:allowed|authori[sz]ed|permitted)|permission|insufficient_?(?:scope|privilege)|eacces|eperm|read-?only (?:file ?system|mode)|outside (?:of )?(?:the )?allowed/i;
const SERVER =
  /(?:^|[^0-9])50[0-4]$|econn|enotfound|connection (?:refused|reset|closed|error|failed|lost)|could not connect|failed to connect|cannot connect|can't connect|not connected|network|unavailable|bad gateway|gateway time|time-?_?d?_?out|host unreachable|dns|database is (?:down|locked)|internal server error|service is down/i;
const BUSY =
  /(?:^|[^0-9])(?:429|529)$|rate.?limit|too.?many.?(?:requests|connections)|throttl|overload|quota|busy/i;

const NOT_FOUND =
  /not found|no such|does ?n[o']t exist|could not (?:be )?f[io]und|couldn't find|cannot find|can't find|unknown (?:id|key|path|file|page|resource)|\b404\b|enoent/i;

/** @param message template or redacted message; '' if none was captured */
export function classifyFailure(code: string, message: string): FailureClass {
  if (BUSY.test(code) || BUSY.test(message)) return 'busy';
  if (PERMISSION.test(code) || PERMISSION.test(message)) return 'permission';
  if (SERVER.test(code) || SERVER.test(message)) return 'server';
  const isAbsent = message !== '' && (NOT_FOUND.test(message) || code === 'HTTP_404');
  return isAbsent ? 'absent' : '';
}
