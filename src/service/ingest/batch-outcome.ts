// What became of a batch.

export type BatchOutcome = 'stored' | 'quarantined' | 'retried';
