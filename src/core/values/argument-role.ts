// What the value of an argument means for the answer, by the argument's name. Values are never looked at: a UUID may be the
// page that is asked for, and a nonce may be a plain number. A server whose names mislead says so in its thresholds.

/**
 * `nonce`: made up for each request. `moment`: the time at which the model asks. `handle`: an id that may be made up, and may be
 * what is asked for. `prose`: what the model says of its call, written anew each time. `remark`: the same, or what is recorded. `cursor`: which part of the same thing
 * is asked for. `limit`: how much of it, or how long to wait for it. `meaning`: all others.
 */
export type ArgumentRole =
  | 'meaning'
  | 'nonce'
  | 'moment'
  | 'handle'
  | 'prose'
  | 'remark'
  | 'cursor'
  | 'limit';

/** Compared in lower case without punctuation. */
const NONCE =
  /^(?:x?(?:request|req|correlation|idempotency|invocation|toolcall)(?:id|key|uuid|token)|traceparent|tracestate|nonce|salt|attempt|attempts|attemptnumber|retry|retries|retrycount|cachebuster|seed|randomseed)$/;

const MOMENT = /^(?:timestamp|ts|now|clock|currenttime|requestedat|sentat|calledat)$/;

const HANDLE = /^(?:trace|span|message|msg|call|transaction)(?:id|key|uuid)|uuid|guid$/;

const PROSE =
  /^(?:intent|toolintent|userintent|explanation|explain|reasoning|rationale|justification|thought|thoughts|thinking|calldescription|toolcalldescription|actiondescription|commentary|progresstitle|statustext)$/;

const REMARK = /^(?:reason|purpose|why|goal|description)$/;

const CURSOR =
  /^(?:page|pagenumber|pageno|pageindex|pagetoken|nextpage|nextpagetoken|nexttoken|continuationtoken|continuation|cursor|nextcursor|startcursor|after|offset|skip|start|startindex|startat|startline)$/;

const LIMIT =
  /^(?:(?:max|min|num|n|no)?(?:results|items|rows|records|count|limit|size|hits|entries|days|hours|months|weeks|tokens|chars|length|lines)|(?:page|batch|chunk|result)(?:size|limit|count)|perpage|top|topk|topn|k|limit|lookback|daysback|lastdays|window|timeout|timeoutms|timeoutseconds|delay|delayms|wait|waitms|waitseconds|waittime|sleep|sleepseconds|duration|durationms|seconds|secs|ms|milliseconds|time|interval|depth|maxdepth|radius(?:km|miles|m|meters)?)$/;

/** Names recur with every call, and there are few; a server that makes them up starts the table anew. */
const roleCache = new Map<string, ArgumentRole>();
const MAX_CACHED_NAMES = 1000;
const MAX_NAME_LENGTH = 64;

/** The role of an argument of that name. */
export function toArgumentRole(name: string): ArgumentRole {
  const before = roleCache.get(name);
  if (before !== undefined) return before;
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  const role = name.length > MAX_NAME_LENGTH ? 'meaning' : matchRole(plain);
  if (roleCache.size >= MAX_CACHED_NAMES) roleCache.clear();
  if (name.length <= MAX_NAME_LENGTH) roleCache.set(name, role);
  return role;
}

function matchRole(plain: string): ArgumentRole {
  if (NONCE.test(plain)) return 'nonce';
  if (MOMENT.test(plain)) return 'moment';
  if (HANDLE.test(plain)) return 'handle';
  if (PROSE.test(plain)) return 'prose';
  if (REMARK.test(plain)) return 'remark';
  if (CURSOR.test(plain)) return 'cursor';
  return LIMIT.test(plain) ? 'limit' : 'meaning';
}
