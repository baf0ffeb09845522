import type { SecurityMode } from '../../../../../lib/core/security-mode.ts'
import { usePolicy } from '../../data/security.ts'
import { createSignal } from '../../data/signal.ts'
import type { TurnRequest } from '../../data/turns.ts'

/** Numbers are kept as typed. */
export type Options = {
  /** Undefined: the service takes its default. */
  mode: SecurityMode | undefined
  /** `provider/model`, or empty for the default. */
  model: string
  effort: NonNullable<TurnRequest['effort']>
  showThinking: boolean
  maxSteps: string
  maxBudget: string
}

export const options = createSignal<Options>({
  mode: undefined,
  model: '',
  effort: 'medium',
  showThinking: true,
  maxSteps: '',
  maxBudget: '',
})

/** What was chosen, with the default mode of the policy where no mode was; undefined until that is loaded. */
export const useOptions = (): Options => {
  const { data } = usePolicy()
  const chosen = options.use()
  return { ...chosen, mode: chosen.mode ?? data?.policy.defaultMode }
}

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
    effort: chosen.effort,
    showThinking: chosen.showThinking,
    ...(chosen.mode === undefined ? {} : { securityMode: chosen.mode }),
    ...(slash < 0 ? {} : { provider: chosen.model.slice(0, slash), model: chosen.model.slice(slash + 1) }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxBudget === undefined ? {} : { maxBudget }),
  }
}
