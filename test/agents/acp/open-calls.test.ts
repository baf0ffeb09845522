import { describe, expect, it } from '@jest/globals'
import { createOpenCalls, type OpenCall } from '../../../lib/adapters/agents/acp/open-calls.ts'

const EDIT = {
  toolCallId: 'call_1',
  title: 'Edit files',
  kind: 'edit',
  locations: [{ path: 'a.txt' }],
} satisfies OpenCall
const DIFF = { type: 'diff', path: 'a.txt', oldText: null, newText: 'new' }
const TEXT = { type: 'content', content: { type: 'text', text: 'So far.' } }

describe('a call that is not over', () => {
  it.each<[string, OpenCall[], Partial<OpenCall>, Partial<OpenCall>]>([
    ['names its id alone', [EDIT], {}, { kind: 'edit', title: 'Edit files', locations: EDIT.locations }],
    ['names another kind', [EDIT], { kind: 'execute' }, { kind: 'execute', title: 'Edit files' }],
    ['has nulls', [EDIT], { kind: null, title: null }, { kind: 'edit', title: 'Edit files' }],
    [
      'has no input',
      [{ ...EDIT, rawInput: { path: 'a.txt' } }],
      { rawInput: {} },
      { rawInput: { path: 'a.txt' } },
    ],
    ['leaves the change out', [{ ...EDIT, content: [TEXT, DIFF] }], {}, { content: [DIFF] }],
    [
      'comes after two messages',
      [EDIT, { toolCallId: 'call_1', title: 'Edit a.txt' }],
      {},
      { title: 'Edit a.txt' },
    ],
  ])('is whole in a permission that %s', (_what, told, asked, whole) => {
    const calls = createOpenCalls()
    for (const call of told) calls.update(call)
    expect(calls.whole<OpenCall>({ toolCallId: 'call_1', ...asked })).toMatchObject(whole)
  })

  it('is forgotten at its end, and beyond a number of others', () => {
    const calls = createOpenCalls()
    for (let count = 1; count <= 101; count++) calls.update({ ...EDIT, toolCallId: `call_${count}` })
    calls.end('call_1')
    expect(['call_1', 'call_100', 'call_101'].map(calls.has)).toEqual([false, true, false])
    expect(calls.whole<OpenCall>({ toolCallId: 'call_1' })).toEqual({ toolCallId: 'call_1' })
  })
})
