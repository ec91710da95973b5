import { describe, expect, test } from 'vitest';
import { assertNoExternalAccess } from '../../../src/service/engine/assert-no-external-access.ts';

describe('assertNoExternalAccess', () => {
  test.each([
    ["SELECT * FROM file('/etc/passwd', 'LineAsString')", 'it reads the disk'],
    ["SELECT file('/etc/passwd')", 'the scalar form does too'],
    ["SELECT * FROM FILE  ('x')", 'names of functions have no case'],
    ["SELECT * FROM `file`('x')", 'a function may be quoted'],
    ["SELECT * FROM url('http://169.254.169.254/', 'RawBLOB')", 'it calls the network'],
    ["SELECT * FROM s3('https://bucket/x')", 'so does this'],
    ["SELECT * FROM remote('10.0.0.1', system.one)", 'it is another server'],
    ["SELECT * FROM executable('id', 'TabSeparated', 'a String')", 'it starts a process'],
    ["SELECT * FROM python('x')", 'it runs code'],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", 'it writes the disk'],
    ["SELECT 1 INTO /* */ OUTFILE '/tmp/x'", 'a comment is a space'],
    ["INSERT INTO FUNCTION file('x') SELECT 1", 'so does this'],
    ["INSERT INTO TABLE FUNCTION url('http://x') SELECT 1", 'it sends to the network'],
    ["CREATE TABLE t (a String) ENGINE = URL('http://x', CSV)", 'reading it calls the network'],
    ["CREATE TABLE t (a String) ENGINE=File(CSV, '/x')", 'reading it reads the disk'],
    ["SELECT '' , * FROM file('x')", 'what is behind a text is looked at'],
    ["SELECT 'a\\'b', * FROM url('x')", 'an escaped quote does not end a text'],
    ["SELECT 'a''b', * FROM url('x')", 'nor does a doubled one'],
  ])('the statement %s is refused because %s', (sql) => {
    expect(() => assertNoExternalAccess(sql)).toThrow(expect.objectContaining({ code: 497 }));
  });

  test.each([
    ["SELECT 'file(\\'/etc/passwd\\')' AS text", 'it is a text'],
    ["SELECT count() FROM calls WHERE tool_name = 'url('", 'it is a text'],
    ['SELECT 1 -- file(\n', 'it is a comment'],
    ['SELECT cutURLParameter(target, 1), profile FROM calls', 'the names only end like it'],
    ['SELECT url, file FROM t', 'they are columns'],
    ["BACKUP DATABASE toolscope TO File('a')", 'backups have a directory of their own'],
    ['CREATE TABLE t (url String) ENGINE = MergeTree ORDER BY url', 'it stays here'],
  ])('the statement %s is allowed because %s', (sql) => {
    expect(() => assertNoExternalAccess(sql)).not.toThrow();
  });
});
