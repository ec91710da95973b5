// Words for made sessions: what servers are about, and what is said in them.

export interface Domain {
  readonly server: string;
  readonly nouns: readonly [string, string, string];
  readonly fields: readonly (readonly [name: string, kind: FieldKind])[];
  readonly states: readonly string[];
}

export type FieldKind = 'name' | 'person' | 'place' | 'number' | 'amount' | 'date' | 'state' | 'text';

const fields = (text: string): Domain['fields'] =>
  text.split(' ').map((pair) => pair.split(':') as [string, FieldKind]);

export const DOMAINS: readonly Domain[] = [
  {
    server: 'shop',
    nouns: ['order', 'product', 'customer'],
    fields: fields(
      'title:name buyer:person city:place quantity:number total:amount ordered:date status:state note:text',
    ),
    states: ['open', 'paid', 'shipped', 'returned'],
  },
  {
    server: 'tracker',
    nouns: ['issue', 'milestone', 'comment'],
    fields: fields('summary:text assignee:person votes:number due:date state:state label:name'),
    states: ['open', 'in review', 'closed', 'blocked'],
  },
  {
    server: 'forge',
    nouns: ['commit', 'branch', 'pull_request'],
    fields: fields('message:text author:person additions:number deletions:number date:date path:name'),
    states: ['merged', 'draft', 'open'],
  },
  {
    server: 'cluster',
    nouns: ['pod', 'deployment', 'node'],
    fields: fields('name:name zone:place restarts:number cpu:amount age:number phase:state message:text'),
    states: ['Running', 'Succeeded', 'Evicted'],
  },
  {
    server: 'ledger',
    nouns: ['invoice', 'payment', 'account'],
    fields: fields('holder:person amount:amount booked:date branch:place reference:name state:state'),
    states: ['booked', 'void', 'settled'],
  },
  {
    server: 'library',
    nouns: ['note', 'page', 'chapter'],
    fields: fields('heading:name author:person words:number body:text written:date'),
    states: ['draft', 'published'],
  },
  {
    server: 'travel',
    nouns: ['booking', 'flight', 'hotel'],
    fields: fields('guest:person from:place to:place price:amount seats:number departs:date status:state'),
    states: ['on time', 'delayed', 'confirmed', 'cancelled'],
  },
  {
    server: 'sensors',
    nouns: ['reading', 'station', 'alarm'],
    fields: fields('site:place value:amount samples:number level:state remark:text'),
    states: ['normal', 'high', 'low'],
  },
  {
    server: 'clinic',
    nouns: ['appointment', 'patient', 'referral'],
    fields: fields('patient:person ward:place room:number on:date state:state reason:text'),
    states: ['planned', 'arrived', 'left'],
  },
  {
    server: 'warehouse',
    nouns: ['table', 'row', 'query'],
    fields: fields('name:name owner:person rows:number bytes:number refreshed:date comment:text'),
    states: ['fresh', 'stale'],
  },
];

const words = (text: string): readonly string[] => text.split(' ');

export const NOUNS = words(
  'amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north ocean pines quarry ridge slope trail upland valley water zephyr anchor bridge castle desert engine forest garden harbor island jungle kettle lantern meadow needle orchard pebble quiver rocket saddle temple velvet window copper silver timber walnut cotton canvas marble pepper ginger saffron violet indigo crimson maple willow juniper falcon heron otter badger',
);
export const FIRST_NAMES = words(
  'Amara Bruno Chiara Dmitri Elif Farid Greta Hana Ivo Jonas Kaito Lena Marta Nils Olga Pavel Quentin Rosa Samir Tariq Ursula Vera Wanda Xenia Yusuf Zoe',
);
export const FAMILY_NAMES = words(
  'Abbott Berg Costa Dietz Eriksen Fontaine Garcia Haas Ito Jansen Kowalski Lindqvist Moreau Novak Okafor Petrov Rossi Schmidt Tanaka Ueda Vargas Weber Young Zhang',
);
export const PLACES = words(
  'Lisbon Oslo Kyoto Nairobi Lima Tallinn Ghent Izmir Quito Perth Leeds Turin Malmo Denver Austin Cork Basel Hanoi Accra Porto Bergen Graz Lyon Gdansk',
);
export const COMMON_WORDS = words(
  'after again almost always because before between build change check clear close count deliver early enough every first follow found given half hold into keep large later leave less line long make many match measure might more most move much near need never next nothing often once only open order other over part place plan point quick rather reach right round same second seem several since slow small some soon start still take than their then there these thing though three through time together turn under until upon very wait week well what when where which while whole will with without work year',
);
