import type { SecurityMode } from '../../../../../lib/core/security-mode.ts'
import { createSignal } from '../../data/signal.ts'
import type { TurnRequest } from '../../data/turns.ts'

/** How turns are asked, until a user chooses otherwise; numbers as they were typed. */
export type Options = {
  mode: SecurityMode
  /** `provider/model`; empty for the default. */
  model: string
  effort: NonNullable<TurnRequest['effort']>
  showThinking: boolean
  maxSteps: string
  maxBudget: string
}

export const options = createSignal<Options>({
  mode: 'full',
  model: '',
  effort: 'medium',
  showThinking: true,
  maxSteps: '',
  maxBudget: '',
})

/** What is typed and not sent yet, by conversation; outside of the form, which is gone when the view is left. */
const drafts = new Map<string, string>()
export const savedDraft = (id: string): string => drafts.get(id) ?? ''
export const keepDraft = (id: string, text: string) => {
  if (text === '') drafts.delete(id)
  else drafts.set(id, text)
}

const numberIn = (text: string) => (text.trim() === '' ? undefined : Number(text))

/** The request for a message: what was left empty is left out. What does not fit, the service says. */
export const turnRequest = (content: string, chosen: Options): TurnRequest => {
  const slash = chosen.model.indexOf('/')
  const [maxSteps, maxBudget] = [numberIn(chosen.maxSteps), numberIn(chosen.maxBudget)]
  return {
    content,
    securityMode: chosen.mode,
    effort: chosen.effort,
    showThinking: chosen.showThinking,
    ...(slash < 0 ? {} : { provider: chosen.model.slice(0, slash), model: chosen.model.slice(slash + 1) }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxBudget === undefined ? {} : { maxBudget }),
  }
}
