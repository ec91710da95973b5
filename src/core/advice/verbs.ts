// What a tool does, by the verb in its name. Words that are often nouns (`log`, `order`) count as verbs only for the question
// whether a name says what happens.

import { nameWords, wordSet } from './name-words.ts';
import { isAccumulatingNoun, isUniqueNoun } from './nouns.ts';

/** `read` changes nothing; `create` adds one more each time; `change` ends in the same state each time; `delete` takes away. */
type VerbKind = 'read' | 'create' | 'change' | 'delete' | 'act';

const READ = wordSet(
  `get list read search find fetch show view describe lookup query count check inspect retrieve browse preview validate
   verify explain estimate compare analyze analyse summarize summarise peek tail head scan monitor watch stat diff grep
   glob poll download resolve detect measure calculate compute lint audit trace`,
);
const CREATE = wordSet(
  'create add send post append insert submit publish pay charge transfer refund purchase buy invite comment reply',
);
const CHANGE = wordSet(
  `update set put edit write replace rename move patch modify change assign upsert save upload enable disable archive
   restore merge close reopen cancel approve reject scale resize reset`,
);
const DELETE = wordSet(
  'delete remove drop destroy purge erase wipe truncate uninstall kill terminate revoke unlink clear prune',
);
const ACT = wordSet(
  `accept aggregate alert allocate annotate answer apply ask attach authenticate authorize backup ban block bookmark
   book boot build bulk call capture click clone collect commit compile compose compress configure confirm connect
   consume convert copy crawl debug decode decompress decrypt define demote deploy detach disconnect dispatch display do
   drag draft draw emit emulate encode encrypt enqueue ensure enter escalate evaluate execute exec exit expand export
   extract fail fill filter finish flush follow format forward generate give go grant group gzip handle hash hover
   identify import index init initialize inject install interact interrupt invoke issue join jump label launch leave
   link load lock log login logout login make manage map mark match migrate mount mute navigate notify open optimize
   optimise order organize override pack parse pause perform pick pin plan play plot predict prepare press print process
   promote prompt propose provision pull push rank rate rebase rebuild receive recommend reconnect record redo refresh
   register release reload render repair repeat report request require rerun research reserve respond restart resume
   retry return revert review roll rollback rotate route run sample schedule scrape screenshot scroll select serve share
   shift shutdown sign simulate skip snapshot sort split stage star start stop store stream subscribe suggest suspend
   swap sync synchronize tag take test toggle think top train transcribe transform translate trigger turn type unassign unban
   unblock undo unfollow unlock unmount unpin unsubscribe unstar use visit vote wait wake warn web wrap zoom solve
   elicit demonstrate forecast normalize minify bundle tokenize new fork ping echo whoami
   abort assert complete setup favorite favourite intercept expect acknowledge activate adapt adjust align amend arrange assess associate attest authorise await bind bypass
   calibrate categorize choose clarify classify clean coerce collapse combine conclude consolidate construct
   consult continue contribute correct correlate crop customise customize dedupe defer delegate deliver deny
   deprecate derive dig discard discover dismiss divide double duplicate elevate embed enrich enroll enumerate
   evict examine exchange expire explore extend federate fix flip forget fuse gather geocode greet grow guess halt
   hide highlight ignore impersonate implement improve increment infer inform initiate inquire interpolate
   intersect introspect invalidate isolate iterate keep kick learn lend lift listen localize locate minimize
   moderate mutate negotiate normalise obtain onboard operate paste permute persist poke populate preload preserve
   prioritize proceed proofread propagate protect prove quantize randomize react reactivate rearrange reason reassign
   rebalance reboot recalculate recall recognize reconcile reconfigure recover recycle redact redeploy redirect
   reduce refactor refine reflect reformat regenerate reindex reinstall relate remember remind remix reorder
   reorganize rephrase replay reposition reprocess reproduce reschedule resend rewind reword rewrite sanitize
   scaffold scrub seek sell serialize settle shorten shrink shuffle shut simplify smooth snooze solicit spawn
   speak specify spell squash standardize stitch stub subtract sum suppress swipe switch tap teach throttle triage
   trim try unarchive upgrade downgrade power push broadcast rollout unbind undelete undeploy unfreeze unhide unload unmute unpack unpublish unregister unset
   unshare unstage untag unzip upscale upvote vectorize vet visualise visualize walk weigh widen withdraw zip`,
);

const KINDS: readonly (readonly [VerbKind, ReadonlySet<string>])[] = [
  ['read', READ],
  ['create', CREATE],
  ['change', CHANGE],
  ['delete', DELETE],
  ['act', ACT],
];

/** Reading words that disarm whatever verb follows: `preview_delete` deletes nothing. */
const HARMLESS_MODIFIERS = wordSet(
  'preview validate check simulate plan explain estimate dry can verify test undo',
);

/** Whether a word of a name, or its stem (`creates`, `listing`), is a verb we know. */
function isVerb(word: string): boolean {
  return verbKindOf(word) !== undefined;
}

function verbKindOf(word: string): VerbKind | undefined {
  const stems = [word, word.replace(/s$/, ''), word.replace(/ing$/, ''), word.replace(/ing$/, 'e')];
  return KINDS.find(([, known]) => stems.some((stem) => known.has(stem)))?.[0] ?? derivedVerbKind(word);
}

/** `reinvite` does what `invite` does once more; `unassign` undoes it. Short rests are other words: `design` signs nothing. */
function derivedVerbKind(word: string): VerbKind | undefined {
  const [, prefix, rest = ''] = /^(re(?=[a-z]{4})|(?:un|de|dis)(?=[a-z]{5}))([a-z]+)$/.exec(word) ?? [];
  const kind = KINDS.find(([, known]) => known.has(rest) && !/^(?:tail|head|list|stat)$/.test(rest))?.[0];
  return kind !== undefined && prefix !== 're' ? 'act' : kind;
}

/** Wrappers of a REST interface put `API` in front: `API-create-a-comment`, but in `API-post-search` the method is no verb. */
function hasApiPrefix([prefix, first = '', ...rest]: readonly string[]): boolean {
  return prefix === 'api' && rest.length > 0 && !/^(?:get|post|put|patch|delete)$/.test(first);
}

export interface NamedAction {
  readonly verb: string;
  readonly kind: VerbKind;
  /** Whether the name says of what, beside the verb. */
  readonly hasObject: boolean;
}

/** The verb of a name: its first word (`delete_pod`), else its first sure one (`pods_delete`), else its last or any `act`. */
export function actionOf(name: string): NamedAction | undefined {
  const words = nameWords(name);
  const all = hasApiPrefix(words) ? words.slice(1) : words;
  const modifier = all.find((word) => HARMLESS_MODIFIERS.has(word));
  if (modifier !== undefined && all.length > 1) return { verb: modifier, kind: 'read', hasObject: true };
  const isSure = (word: string) => (verbKindOf(word) ?? 'act') !== 'act';
  const [first = '', last = ''] = [all[0], all.at(-1)];
  const verb =
    [first].find(isVerb) ??
    (first === 'api' ? [last, ...all] : all).find((word) => isSure(word)) ??
    [last, ...all].find((word) => isVerb(word));
  const kind = verb === undefined ? undefined : verbKindOf(verb);
  if (verb === undefined || kind === undefined) return undefined;
  return { verb, kind, hasObject: all.length > 1 };
}

/** Create a duplicate of any object. */
const ALWAYS_DUPLICATING_VERBS = wordSet('pay charge refund purchase buy comment reply append insert send');
/** Objects that are sent to a machine, not to a person. */
export const MACHINE_INPUT =
  /^(?:key|keystroke|keypress|input|signal|command|cmd|request|click|tap|event|query|prompt|code|data|gcode|sequence|terminal)s?$/;
/** Objects that are used up, or that only link two others. */
const CONSUMED_OBJECTS = /^(?:drafts?|scheduled|pending|related|linked|existing|reference)$/;
/** Between the object and its destination. */
const PREPOSITION = /^(?:to|in|into|on|onto|at|for|from|with|by|of|as|via)$/;

/** Verbs of which a repeat cannot be taken back. */
const IRREVERSIBLE_VERBS = wordSet('pay charge transfer refund purchase buy send');
/** Verbs of no list of creating ones that let money or a message leave. */
const DISPATCHING_VERBS = wordSet(
  'issue process make initiate execute place perform deliver broadcast forward resend wire withdraw deposit donate schedule',
);
/** Objects that are money or a message on its way; a payment method or an email template is neither. */
const DISPATCHED_OBJECT =
  /(?:^| )(?:payment|payout|refund|charge|deposit|withdrawal|donation|purchase|email|mail|sms|dm|tweet|fax|message)(?: (?:intent|request))?s?$|(?:^|wire|bank|money|funds?|payment|internal) ?transfers?$/;

/** Whether money or a message leaves with each call, whatever the verb: `pay_bill`, `create_payment_intent`, `issue_refund`. */
export function dispatchesMoneyOrMessage(name: string): boolean {
  const { verb, kind } = actionOf(name) ?? {};
  if (verb === undefined || !(kind === 'create' || DISPATCHING_VERBS.has(verb))) return false;
  if (IRREVERSIBLE_VERBS.has(verb)) return true;
  return DISPATCHED_OBJECT.test(objectPhrase(nameWords(name), verb));
}

/** `payment intent` of `create_payment_intent_for_customer`. */
function objectPhrase(words: readonly string[], verb: string): string {
  const behind = listObjectWords(words, verb);
  return (behind.length > 0 ? behind : words.slice(0, words.indexOf(verb))).join(' ');
}

/** Words between the verb and the next preposition, without a version. */
function listObjectWords(words: readonly string[], verb: string): string[] {
  const after = words.slice(words.indexOf(verb) + 1);
  const end = after.findIndex((word) => PREPOSITION.test(word));
  return (end < 0 ? after : after.slice(0, end)).filter((word) => !/^v\d+$/.test(word));
}

/** Whether each call creates one more. @param verb found by {@link actionOf} */
export function createsDuplicate(name: string, verb: string): boolean {
  const words = nameWords(name);
  if (
    verb === 'charge' ||
    verb === 'pay' ||
    (verb !== 'send' && dispatchesMoneyOrMessage(name) && !IRREVERSIBLE_VERBS.has(verb))
  )
    return !words.some((word) => CONSUMED_OBJECTS.test(word));
  const object = objectOf(words, verb);
  if (isUniqueNoun(object)) return false;
  if (verb !== 'create' && words.some((word) => CONSUMED_OBJECTS.test(word))) return false;
  if (verb === 'send') return !MACHINE_INPUT.test(object);
  return ALWAYS_DUPLICATING_VERBS.has(verb) || isAccumulatingNoun(object);
}

/** `comment` of `add_comment_to_issue` and of `issue_comment_add`; empty where the name has none. */
export function objectOf(words: readonly string[], verb: string): string {
  return listObjectWords(words, verb).at(-1) ?? words[words.indexOf(verb) - 1] ?? '';
}
