import { describe, expect, it } from '@jest/globals'
import { continuedMessages, toConversation } from '../../../lib/adapters/agents/coding/conversation.ts'
import type { ModelMessage } from '../../../lib/ports/model.ts'
import { createScriptedModels } from '../../fakes/scripted-models.ts'

const opening: ModelMessage[] = [
  { role: 'system', content: 'Rules' },
  { role: 'user', content: 'Now' },
]
const previous = { id: 'task_1', title: 'T', status: 'completed' }
const turn = (number: number, length: number): ModelMessage[] => [
  { role: 'user', content: `Ask ${number}` },
  { role: 'assistant', content: '', toolCalls: [{ id: `c${number}`, name: 'read_file', arguments: {} }] },
  { role: 'tool', callId: `c${number}`, name: 'read_file', content: 'word '.repeat(length), failed: false },
  { role: 'assistant', content: `Answer ${number}` },
]
const continued = (
  models: ReturnType<typeof createScriptedModels>,
  conversation: readonly ModelMessage[],
) => {
  const earlier = { previous, continuation: { conversation }, since: [] }
  return continuedMessages(models, opening, earlier, new AbortController().signal)
}

describe('the messages of a later turn', () => {
  it('are all of the earlier turns, where they fit', async () => {
    const models = createScriptedModels([])
    const conversation = toConversation([{ role: 'system', content: 'Old rules' }, ...turn(1, 10)])
    expect(await continued(models, conversation)).toEqual([opening[0], ...turn(1, 10), opening[1]])
    expect(models.requests).toEqual([])
  })

  it.each([
    ['a summary of the older ones', 'It was about words.', 'It was about words.'],
    ['a note where the model gives none', '', 'They are not available any more'],
  ])(
    'have %s in their place from 75 %% of the window on, and no result without its call',
    async (_what, text, words) => {
      const models = { ...createScriptedModels([{ text }]), contextTokens: () => 20_000 }
      const turns = Array.from({ length: 10 }, (_, number) => turn(number, 1_500)).flat()
      const messages = await continued(models, turns)
      expect(models.requests).toHaveLength(1)
      expect(messages[1]?.content).toContain(words)
      expect(messages.slice(0, 4).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
      expect(messages[3]?.content).toMatch(/^Ask \d$/)
      expect([messages.at(-2), messages.at(-1)]).toEqual([turns.at(-1), opening[1]])
      expect(messages.length).toBeLessThan(turns.length)
    },
  )

  it('have the results of tools shortened', () => {
    const [, , result] = toConversation(turn(1, 10_000))
    expect(result?.content.length).toBeLessThan(9_000)
  })
})
