import type { AgentCallKind } from '../../../core/agent-call-kinds.ts'
import { CONTROLS } from '../../../core/controls.ts'
import { cutText, shortenedText, textTail } from '../../../core/cut-text.ts'
import { createLatestText } from '../../../core/latest-text.ts'
import { LONGEST_CALL_RESULT, LONGEST_CALL_TITLE } from '../../../core/tool-call-limits.ts'
import type { LoopEvent } from '../../../ports/tool.ts'

/** The most characters of the answer: its last ones. */
export const MOST_ANSWER = 100_000
/** The most calls that have begun and not ended; what is told of further ones is dropped. */
const MOST_OPEN_CALLS = 1_000
/** The most characters of the events of one run, each of which counts as some at least. */
const MOST_SHOWN = 50_000_000
const LEAST_SHOWN = 200
const END = '\n\n[The rest is not shown: this run sent too much output]'

const shownTitle = (title: string): string =>
  cutText(title.split(new RegExp(CONTROLS, 'gu')).join(' ').trim(), LONGEST_CALL_TITLE)

type Call = { id: string; name: string; arguments: unknown }
type OpenCall = { call: Call; title: string; from: number }

/** A call of a tool, as an agent reports it. */
type BegunCall = {
  id: string
  name: string
  kind?: AgentCallKind | undefined
  title?: string | null | undefined
  input?: unknown
}
type EndedCall = {
  title?: string | null | undefined
  content: string
  failed: boolean
  /** It was not made, because it was denied. */
  isDenied?: boolean
}

type Needs = { observe: (event: LoopEvent) => void; now: () => number }

/**
 * The events that readers of a run follow, of what an agent reports. A step is what an agent writes up to the end of the
 * calls that follow it; the text of the last one is its answer.
 */
export const createRunEvents = (needs: Needs) => {
  const { now } = needs
  const latest = createLatestText(MOST_ANSWER)
  const open = new Map<string, OpenCall>()
  let step = 0
  let calls = 0
  let callsOfStep = 0
  let answer = ''
  let hasText = false

  let shownCharacters = 0
  /** Shows an event of that many characters, while the run has not sent too much. */
  const observe = (event: LoopEvent, characters = 0) => {
    if (shownCharacters > MOST_SHOWN) return
    shownCharacters += Math.max(characters, LEAST_SHOWN)
    needs.observe(shownCharacters > MOST_SHOWN ? { type: 'text', step, text: END } : event)
  }

  const endStep = () => {
    if (step > 0)
      observe({ type: 'step:complete', step, usedTokens: 0, toolCalls: callsOfStep, finishReason: 'stop' })
    callsOfStep = 0
  }
  const beginStep = () => {
    endStep()
    step += 1
    latest.beginStep()
    hasText = false
    observe({ type: 'step:start', step, usedTokens: 0 })
  }

  /** Text after calls begins a step. */
  const beginText = () => {
    if (step === 0 || (callsOfStep > 0 && open.size === 0)) beginStep()
  }
  const say = (type: 'text' | 'reasoning', text: string): void => {
    beginText()
    if (type === 'text') {
      answer = latest.add(text) || answer
      hasText = true
    }
    observe({ type, step, text }, text.length)
  }

  return {
    say,
    /** A whole message: an empty line parts it from the one before. */
    sayMessage: (text: string): void => {
      beginText()
      say('text', hasText ? `\n\n${text}` : text)
    },
    /** Whether the last step has text, and no calls. */
    isAnswered: (): boolean => hasText && callsOfStep === 0,
    isOpen: (id: string): boolean => open.has(id),
    beginCall: ({ id, name, kind, title, input }: BegunCall): void => {
      if (open.size >= MOST_OPEN_CALLS) return
      if (step === 0) beginStep()
      const call = { id, name: cutText(name, LONGEST_CALL_TITLE), arguments: input ?? {} }
      const opened = { call, title: shownTitle(title ?? name), from: now() }
      open.set(id, opened)
      calls += 1
      callsOfStep += 1
      const event = { type: 'tool:call', step, call, title: opened.title, ...(kind && { kind }) } as const
      observe(event, JSON.stringify(call.arguments).length)
    },
    /** The end of an open call; of any other nothing is told. */
    endCall: (id: string, ended: EndedCall): void => {
      const opened = open.get(id)
      if (opened === undefined) return
      open.delete(id)
      const title = shownTitle(ended.title ?? opened.title)
      const outcome = {
        content: shortenedText(ended.content, LONGEST_CALL_RESULT),
        failed: ended.failed,
        decision: ended.isDenied ? ('denied' as const) : ('allowed' as const),
        durationMs: now() - opened.from,
      }
      observe({ type: 'tool:result', step, call: opened.call, title, outcome }, outcome.content.length)
    },
    end: endStep,
    /** What the agent wrote last, and what it did. */
    outcome: () => ({ answer: textTail(answer, MOST_ANSWER), steps: step, toolCalls: calls }),
  }
}
