// Known nouns, by what happens if one is created twice. A noun in no list allows no conclusion.

import { nameWords, wordSet } from './name-words.ts';

const CALLER_NOUNS =
  wordSet(`id ids uid uuid sha key name names title slug path paths file files filename dir directory folder cwd root url urls uri
   link host hostname domain owner user users username author assignee login email account tenant customer client org
   organization organisation company team workspace project projects repo repository branch ref tag label labels commit
   namespace cluster pod container node database table schema bucket collection index channel thread room page board list
   query q search term text content contents body message messages comment prompt question input output code command
   script sql expression pattern regex selector ids token cursor password secret session location city country address
   date time since until from to start end after before symbol ticker package module class function topic subject
   description note notes reason value`);

/** Whether the last word of a name is of something the caller has, not of something the tool offers. */
export function isCallerSpecific(name: string): boolean {
  const last = nameWords(name).at(-1);
  return last === undefined || CALLER_NOUNS.has(last);
}

/** Nouns that are never verbs: a name that ends in one, without a verb, does not say what happens. */
const PLAIN_NOUNS = wordSet(
  `agent article asset attribute author balance bucket calendar capability catalog category channel cluster code
   collection color column component configuration config container content context cookie coordinate credential currency
   customer dashboard database dependency detail device diagnostic diagram dimension directory document domain
   entity environment example feature feedback field file folder font format geolocation guide header
   history hierarchy id identifier image info information instruction inventory invoice item key keyword language layer
   layout library limit location member message metadata metric mode name network node option organization
   page parameter path permission portfolio preference profile project property region repository
   resource role room row schema script secret service session setting size statistics stats status story
   storage structure style subject symbol table team teammate template text theme thread time timeline timezone token topic
   tree type user variable version video viewport webhook widget workflow workspace`,
);

/** Nouns of which two equal ones can exist. */
const ACCUMULATING_NOUNS = wordSet(
  `ad answer appointment attachment bid bill block booking bug campaign card charge checklist child children comment contract
   copy deal deposit defect discussion dm donation downtime draft email entry estimate event expense feedback funds gist incident
   invoice issue item job lead line log mail meeting memo message money note notification offer opportunity
   order paragraph paste payment payout photo picture pin post proposal purchase question quote record refund reminder
   reply request reservation review routine row run sentence shipment sms snippet step story subtask survey task text
   thread ticket timer todo trade transaction transfer tweet video withdrawal workout worklog`,
);

/** Nouns of which only one can exist per name, and results that are only computed, opened or drawn. */
const UNIQUE_NOUNS = wordSet(
  `account alias api app assignee attendee attribute bookmark branch breakpoint bucket category certificate
   collaborator collection column connection constraint contact cookie credential database dependency directory dns
   domain environment environments favorite favourite field follower folder fork function group guest header hook host
   hostname index integration key label link listener member milestone module namespace network organization
   participant permission policy project reaction redirect relation relationship remote repo repository
   reviewer role rule schema secret segment server service share site star subdomain subscriber subscription table tag
   team token topic trigger url user variable volume watcher workspace workspaces zone
   animation bitmap browser chart client code context diagram dimension embedding file graph hash image
   map mesh mindmap object path plan plot preview prompt query report scene screenshot script
   session shape slide sprite style summary tab theme window`,
);

const singularForms = (noun: string): string[] => [
  noun,
  noun.replace(/s$/, ''),
  noun.replace(/es$/, ''),
  noun.replace(/ies$/, 'y'),
];

const isOneOf = (known: ReadonlySet<string>, noun: string): boolean =>
  singularForms(noun).some((form) => known.has(form));

/** Whether a word is never a verb. */
export const isPlainNoun = (noun: string): boolean => isOneOf(PLAIN_NOUNS, noun);

/** Whether two equal ones can exist. */
export const isAccumulatingNoun = (noun: string): boolean => isOneOf(ACCUMULATING_NOUNS, noun);

/** Whether a second one replaces the first, is rejected, or is only a result. */
export const isUniqueNoun = (noun: string): boolean => isOneOf(UNIQUE_NOUNS, noun);
