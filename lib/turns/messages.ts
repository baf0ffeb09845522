import { clipped } from '../core/cut-text.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { ModelMessage } from '../ports/model.ts'
import { LONGEST_RESULT } from './bounds.ts'
import { type MessageRow, numberText } from './rows.ts'
import type { ChatMessage, ChatToolCall } from './schema.ts'

/** Makes the rows of new messages: `number` is the index of one in its conversation. */
export const createMessageRow =
  ({ clock, ids }: { clock: Pick<Clock, 'now'>; ids: Ids }) =>
  (
    conversationId: string,
    number: number,
    message: Omit<ChatMessage, 'id' | 'conversationId' | 'createdAt'>,
  ): MessageRow => ({
    id: ids.next('msg'),
    conversationId,
    number: numberText(number),
    ...message,
    createdAt: iso(clock.now()),
  })

export const toMessage = ({ number: _number, ...message }: Readonly<MessageRow>): ChatMessage => message

/** The calls of one step with their results, as the model made them; a call without a result gets a note. */
const stepMessages = (calls: readonly ChatToolCall[]): ModelMessage[] => [
  {
    role: 'assistant',
    content: '',
    toolCalls: calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given })),
  },
  ...calls.map(
    ({ id, name, result = 'The call was not made.', status }): ModelMessage => ({
      role: 'tool',
      callId: id,
      name,
      content: clipped(result, LONGEST_RESULT),
      failed: status !== 'success',
    }),
  ),
]

const answerMessages = ({ content, toolCalls = [], error, notice }: ChatMessage): ModelMessage[] => {
  const steps = Map.groupBy(toolCalls, ({ step }) => step)
  const broken = error ? `[The answer ended early: ${error.message}]` : ''
  const added = notice === undefined ? '' : `[${notice}]`
  const text = [content, broken, added].filter((part) => part.trim() !== '').join('\n\n')
  return [
    ...[...steps.values()].flatMap(stepMessages),
    ...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]),
  ]
}

/**
 * Messages of a conversation for a model, oldest first. A call is followed by its result; consecutive messages of a user,
 * the earlier of which were not answered, are joined; a message that was only sent again is not repeated.
 */
export const toHistory = (messages: readonly ChatMessage[]): ModelMessage[] => {
  const history: ModelMessage[] = []
  let questions: string[] = []
  for (const message of messages) {
    if (message.role === 'assistant') {
      questions = []
      history.push(...answerMessages(message))
      continue
    }
    if (questions.length > 0) history.pop()
    if (questions.at(-1) !== message.content) questions.push(message.content)
    history.push({ role: 'user', content: questions.join('\n\n') })
  }
  return history
}

const SPOKEN: Readonly<Record<ModelMessage['role'], string>> = {
  system: 'Instructions',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool result',
}
/** The most characters of a tool's result in a text to summarise. */
const LONGEST_IN_TRANSCRIPT = 2_000

/** Messages as a text for the model that summarises them. */
export const toTranscript = (messages: readonly ModelMessage[]): string =>
  messages
    .map((message) => {
      const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
      const lines = calls.map(
        ({ name, arguments: given }) =>
          `[calls ${name} ${clipped(JSON.stringify(given) ?? '', LONGEST_IN_TRANSCRIPT)}]`,
      )
      const text = message.role === 'tool' ? clipped(message.content, LONGEST_IN_TRANSCRIPT) : message.content
      return `${SPOKEN[message.role]}: ${[text, ...lines].filter((line) => line !== '').join('\n')}`
    })
    .join('\n\n')
