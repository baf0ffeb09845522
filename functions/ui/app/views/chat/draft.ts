import type { SecurityMode } from '../../../../../lib/core/security-mode.ts'
import { createSignal } from '../../data/signal.ts'
import type { TurnRequest } from '../../data/turns.ts'

/** Numbers are kept as typed. */
export type Options = {
  mode: SecurityMode
  /** `provider/model`, or empty for the default. */
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

/** Unsent messages by conversation, outside of the form, which unmounts with the view. */
const drafts = new Map<string, string>()
export const savedDraft = (id: string): string => drafts.get(id) ?? ''
export const keepDraft = (id: string, text: string) => {
  if (text === '') drafts.delete(id)
  else drafts.set(id, text)
}

const numberIn = (text: string) => (text.trim() === '' ? undefined : Number(text))

/** Empty options are left out; the service validates. */
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
