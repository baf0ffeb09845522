import { describe, expect, it } from '@jest/globals'
import { RegisterRunnerBody } from '../../lib/runners/schema.ts'
import { CreateTaskSchema } from '../../lib/tasks/schema.ts'

const UNSEEN = {
  'a character that turns the direction': 'build\u202e-1',
  'a mark of the direction': 'build\u200f-1',
  'an isolate': 'build\u2066-1',
  'a space without a width': 'build\u200b-1',
  'a joiner': 'build\u200d-1',
  'a soft hyphen': 'build\u00ad-1',
  'a filler that is shown as blank': 'build\u3164-1',
  'a selector of variants': 'build\ufe0f-1',
  'another space than the usual one': 'build\u00a0-1',
  'a control character': 'build\u0007-1',
  'a line break': 'build\n-1',
  'a character for private use': 'build\ue000-1',
  'nothing that is seen': '\u2800',
}

/** Where the registration of a runner has a text that people read or that is compared. */
const PLACES: Readonly<Record<string, (text: string) => object>> = {
  name: (name) => ({ name }),
  label: (label) => ({ labels: ['linux', label] }),
  version: (version) => ({ version }),
  'type of an agent': (type) => ({ agents: [type] }),
  'type of a described agent': (type) => ({ agents: [{ type }] }),
  'version of an agent': (version) => ({ agents: [{ type: 'claude-code', version }] }),
}

const registers = (more: object) =>
  RegisterRunnerBody.safeParse({ name: 'build-1', version: '1', agents: [], concurrency: 1, ...more }).success

describe('the registration of a runner', () => {
  it.each(Object.keys(PLACES))('refuses a %s with what is not seen, and takes any script', (place) => {
    const refused = Object.entries(UNSEEN).filter(([, text]) => !registers(PLACES[place]?.(text) ?? {}))
    expect(refused.map(([what]) => what)).toEqual(Object.keys(UNSEEN))
    for (const text of ['build-1', 'Build machine 1', 'ビルド', 'сборка', 'بناء', 'm\u0308ac', '1.0.0-β+7'])
      expect([text, registers(PLACES[place]?.(text) ?? {})]).toEqual([text, true])
  })

  it.each(['name', 'description'])('refuses the %s of an agent that turns the direction of text', (field) => {
    const withText = (text: string) => registers({ agents: [{ type: 'claude-code', [field]: text }] })
    expect([withText('Claude\u202e'), withText('Claude\nCode'), withText('Claude Code')]).toEqual([
      false,
      false,
      true,
    ])
  })
})

describe('the labels that a task asks for', () => {
  it('have nothing that is not seen, as those of runners', () => {
    const asks = (label: string) => CreateTaskSchema.safeParse({ title: 'T', runsOn: [label] }).success
    expect(Object.values(UNSEEN).filter(asks)).toEqual([])
    expect(asks('gpu')).toBe(true)
  })
})
