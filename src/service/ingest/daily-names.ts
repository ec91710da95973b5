// Limits the distinct names per day. Names of the previous day are known first, so a flood of new names at
// midnight cannot displace them. Held in memory with a bounded size; a callback persists them across
// restarts.

import { createHash } from 'node:crypto';
import { NAME_KINDS, type NameKind, type NameLimits, OTHER_NAME } from '../../core/model/name-limits.ts';

/** A stored name. */
export interface NameRecord {
  readonly kind: NameKind;
  /** The stored server name; empty for a server. */
  readonly server: string;
  readonly name: string;
}

export interface DailyNamesOptions {
  readonly limits: NameLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called once a day for each name seen. MUST NOT throw. */
  readonly onName: (record: NameRecord, day: number) => void;
}

/** Each name with the last day it was seen, by seniority. */
type LastSeenDays = Map<string, number>;

/** Names that were replaced by `other` since the day began. */
export interface ExceededNameLimit {
  readonly kind: NameKind;
  readonly limit: number;
  /** Occurrences, not distinct names, which are not stored. */
  readonly values: number;
}

const DAY_MS = 86_400_000;
/** Longer names are stored as a hash of this length. */
const MAX_NAME_LENGTH = 44;

/** @param ms milliseconds since the epoch @returns days since the epoch */
export function toDayNumber(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

export class DailyNames {
  readonly #options: DailyNamesOptions;
  #day: number;
  /** By kind and server. */
  #names = new Map<string, LastSeenDays>();
  /** For the current day, by kind and server, and by kind alone. */
  readonly #counts = new Map<string, number>();
  readonly #exceeded = new Map<NameKind, number>();
  readonly #exceededSinceStart = new Map<NameKind, number>();

  constructor(options: DailyNamesOptions) {
    this.#options = options;
    this.#day = toDayNumber(options.now());
  }

  /** Loads names of an earlier process. Call it with the previous day's names first. */
  load(record: NameRecord, day: number): void {
    if (day !== this.#day && day !== this.#day - 1) return;
    const scope = `${record.kind}\n${record.server}`;
    const isNewToday = day === this.#day && this.#names.get(scope)?.get(record.name) !== day;
    this.#add(scope, record.name, day);
    if (isNewToday) this.#count(record.kind, scope);
  }

  /**
   * Adds a name to the current day if it is known or below the limit.
   *
   * @param server as admitted for its server; ignored for a server
   * @returns whether the name is kept; if not, it was counted
   */
  admit(kind: NameKind, name: string, server = ''): boolean {
    // An empty name means unknown.
    if (name === '' || name === OTHER_NAME) return true;
    const today = toDayNumber(this.#options.now());
    if (today > this.#day) this.#startDay(today);
    const record: NameRecord = {
      kind,
      server: kind === 'server' ? '' : shortenName(server),
      name: shortenName(name),
    };
    const scope = `${kind}\n${record.server}`;
    const seen = this.#names.get(scope)?.get(record.name);
    if (seen === this.#day) return true;
    if (seen === undefined && !this.#hasCapacity(kind, scope)) {
      for (const counts of [this.#exceeded, this.#exceededSinceStart])
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return false;
    }
    this.#add(scope, record.name, this.#day);
    this.#count(kind, scope);
    this.#options.onName(record, this.#day);
    return true;
  }

  /** Whether a name is known; counts nothing. */
  has(kind: NameKind, name: string, server: string): boolean {
    return this.#names.get(`${kind}\n${shortenName(server)}`)?.has(shortenName(name)) ?? false;
  }

  /** Replacements by `other` in this process today, by kind. */
  get exceededLimits(): readonly ExceededNameLimit[] {
    if (toDayNumber(this.#options.now()) > this.#day) return [];
    return NAME_KINDS.flatMap((kind) => {
      const values = this.#exceeded.get(kind) ?? 0;
      return values === 0 ? [] : [{ kind, limit: this.#options.limits[kind], values }];
    });
  }

  /** The same since the process started, for a counter. */
  get exceededSinceStart(): ReadonlyMap<NameKind, number> {
    return this.#exceededSinceStart;
  }

  #hasCapacity(kind: NameKind, scope: string): boolean {
    const { limits } = this.#options;
    const ofKind = this.#counts.get(kind) ?? 0;
    return (this.#counts.get(scope) ?? 0) < limits[kind] && ofKind < limits.total;
  }

  #add(scope: string, name: string, day: number): void {
    const names = this.#names.get(scope) ?? new Map<string, number>();
    this.#names.set(scope, names);
    names.set(name, day);
  }

  #count(kind: NameKind, scope: string): void {
    for (const key of [scope, kind]) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** The most senior names of the previous day stay known: up to a day's limits per server and in total. */
  #startDay(today: number): void {
    const { limits } = this.#options;
    const before = this.#names;
    this.#names = new Map();
    this.#counts.clear();
    this.#exceeded.clear();
    const carried = new Map<NameKind, number>();
    for (const [scope, names] of before) {
      const kind = NAME_KINDS.find((one) => scope.startsWith(`${one}\n`)) ?? 'server';
      const capacity = Math.min(limits[kind], limits.total - (carried.get(kind) ?? 0));
      const senior = [...names]
        .filter(([, day]) => day === this.#day && today === this.#day + 1)
        .slice(0, capacity);
      if (senior.length > 0) this.#names.set(scope, new Map(senior));
      carried.set(kind, (carried.get(kind) ?? 0) + senior.length);
    }
    this.#day = today;
  }
}

function shortenName(name: string): string {
  if (name.length < MAX_NAME_LENGTH) return name;
  return createHash('sha256').update(name).digest('base64');
}
