// Where the receivers of one test file listen: an address of loopback that no other process listens at. A port that a test
// gave back is taken by the next who asks for one; what a delivery or a child still sends there must not meet strangers,
// and a receiver that comes back must find it free.

/** An IPv4 address of this process's own; all of 127.0.0.0/8 is loopback on Linux, elsewhere only the first. */
export const OWN_ADDRESS =
  process.platform === 'linux'
    ? `127.${16 + ((process.pid >> 16) & 127)}.${(process.pid >> 8) & 255}.${process.pid & 255}`
    : '127.0.0.1';

/** A port where nobody listens. */
export const UNUSED_ADDRESS = `http://${OWN_ADDRESS}:9`;
