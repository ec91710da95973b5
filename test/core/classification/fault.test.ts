import { describe, expect, test } from 'vitest';
import { classifyFault } from '../../../src/core/classification/classify-ending.ts';
import { OUTCOMES, type Outcome } from '../../../src/core/model/outcome.ts';

describe('fault of an outcome', () => {
  test.each<[Outcome, string, string, string]>([
    ['ok', '', 'none', 'nothing failed'],
    ['invalid_arguments', '-32602', 'client', 'the agent must change its arguments'],
    ['unknown_tool', '-32602', 'client', 'the agent must change the name'],
    ['protocol_error', '-32700', 'client', 'it sent no JSON'],
    ['protocol_error', '-32600', 'client', 'it sent no request'],
    ['protocol_error', '-32601', 'client', 'it asked for an unknown method'],
    ['protocol_error', '-32602', 'client', 'it sent bad parameters'],
    ['protocol_error', '-32002', 'client', 'it asked for an unknown resource'],
    ['protocol_error', '-32020', 'client', 'its headers contradict its body'],
    ['protocol_error', '-32021', 'client', 'it lacks a capability'],
    ['protocol_error', '-32022', 'client', 'it speaks another version'],
    ['protocol_error', '-32603', 'server', 'internal means internal'],
    ['protocol_error', '-32000', 'server', 'a code without a meaning'],
    ['protocol_error', '-32023', 'server', 'the next code is not yet given'],
    ['tool_error', 'HTTP_404', 'client', 'a 4xx blames the request'],
    ['tool_error', 'HTTP_500', 'server', 'a 5xx does not'],
    ['tool_error', 'NOTE_LOCKED', 'server', 'the tool failed'],
    ['exception', 'HTTP_404', 'server', 'the tool did not catch it'],
    ['invalid_output', '-32602', 'server', 'the tool broke its own schema'],
    ['timeout', 'timeout', 'server', 'it was too slow'],
    ['cancelled', '', 'none', 'somebody changed his mind'],
    ['abandoned', '', 'none', 'nobody knows'],
    ['input_required', '', 'none', 'the final answer counts'],
    ['task', '', 'none', 'it goes on elsewhere'],
    ['blocked', '', 'none', 'our own guard did it'],
  ])('the fault of %s with code %j is %s, because %s', (outcome, code, fault) => {
    expect(classifyFault(outcome, code)).toBe(fault);
  });

  test('every outcome has a fault', () => {
    for (const outcome of OUTCOMES)
      expect(['none', 'client', 'server']).toContain(classifyFault(outcome, ''));
  });
});
