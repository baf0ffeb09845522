import type { ContentBlock, SessionUpdate, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { LoopEvent } from '../../../ports/tool.ts'
import { createRunEvents } from '../program/run-events.ts'

type Needs = { observe: (event: LoopEvent) => void; now: () => number }

const contentText = (parts: readonly ToolCallContent[]): string =>
  parts
    .map((part) => {
      if (part.type === 'content')
        return part.content.type === 'text' ? part.content.text : `[${part.content.type}]`
      return part.type === 'diff' ? `Changed ${part.path}` : '[terminal]'
    })
    .join('\n')

const resultText = ({ content, rawOutput }: ToolCallUpdate): string => {
  const text = content ? contentText(content) : ''
  if (text !== '' || rawOutput === undefined || rawOutput === null) return text
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(rawOutput)
}

/** Turns the updates of a session into the events that readers of a run follow. */
export const createUpdates = (needs: Needs) => {
  const events = createRunEvents(needs)

  const say = (type: 'text' | 'reasoning', content: ContentBlock) => {
    if (content.type === 'text') events.say(type, content.text)
  }

  const updateCall = (update: ToolCallUpdate) => {
    const { toolCallId: id, kind, name, title, rawInput: input, status } = update
    if (!events.isOpen(id)) events.beginCall({ id, name: name ?? kind ?? 'other', title, input })
    if (status !== 'completed' && status !== 'failed') return
    events.endCall(id, { title, content: resultText(update), failed: status === 'failed' })
  }

  return {
    /** Plans, modes and commands, which are for people at a keyboard, are left out, and so is what it states of its cost. */
    take: (update: SessionUpdate): void => {
      const { sessionUpdate } = update
      if (sessionUpdate === 'agent_message_chunk') say('text', update.content)
      if (sessionUpdate === 'agent_thought_chunk') say('reasoning', update.content)
      if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update') updateCall(update)
    },
    end: events.end,
    /** What the agent wrote last, and what it did. */
    outcome: events.outcome,
  }
}
