import type { Principal } from '../core/principal.ts'
import type { createBegin } from './begin.ts'
import { type ChatContext, type Subject, systemText, toAnswerContext } from './context.ts'
import type { TurnNeeds } from './needs.ts'
import type { RunOptions, RunTurn } from './run.ts'

type Message<Role extends string> = { role: Role; content: string }

type Completion = Subject & {
  messages: readonly Message<'user' | 'assistant' | 'system'>[]
  systemPrompt?: string | undefined
  conversationId?: string | undefined
  provider?: string | undefined
  model?: string | undefined
}

type Parts = Pick<ChatContext, 'ofRequest'> & Pick<ReturnType<typeof createBegin>, 'open'> & RunTurn

/** Answers messages. Those of a conversation are a turn of it; any others are stored nowhere. */
export const createAnswerMessages = (
  { models, takeTurnSlot }: TurnNeeds,
  { ofRequest, open, run, runUnstored }: Parts,
) => {
  const complete = async (
    principal: Principal,
    { messages, systemPrompt, conversationId, ...request }: Completion,
    { withMemory, ...options }: RunOptions & { withMemory: boolean },
  ) => {
    const target = models.resolve(request)
    const query = messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const known = await ofRequest(principal, request, query, withMemory)
    const answerContext = toAnswerContext(known, conversationId)
    if (conversationId === undefined) {
      const text = systemText({ ...known, systemPrompt })
      const system = text === '' ? [] : [{ role: 'system' as const, content: text }]
      const { userId } = principal
      const prompt = { userId, messages: [...system, ...messages], target }
      const answered = await runUnstored(prompt, options)
      return { ...answered, answerContext, conversationId, compaction: undefined }
    }
    const turn = await open(principal, conversationId, {
      ...target,
      messages: messages.filter((one): one is Message<'user' | 'assistant'> => one.role !== 'system'),
      system: messages.filter(({ role }) => role === 'system').map(({ content }) => content),
      systemPrompt,
      known,
      signal: options.signal,
    })
    const ran = await run(turn, options)
    return { ...ran, answerContext, conversationId, compaction: turn.compaction }
  }

  return async (...given: Parameters<typeof complete>) => {
    const [{ userId }, { conversationId }] = given
    // A turn of a conversation takes its own slot.
    const free = conversationId === undefined ? await takeTurnSlot(userId) : undefined
    try {
      return await complete(...given)
    } finally {
      await free?.()
    }
  }
}
