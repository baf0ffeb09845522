import { firstLineTitle } from '../../../../lib/core/first-line-title.ts'
import { limitErrors, readLimits } from './limits.ts'

const NO_PROMPT = 'Enter what the agent should do.'

/** What the page refuses of what is typed, by field name. A description counts as words. */
export const typedErrors = (
  typed: Readonly<Record<string, string>>,
  description?: unknown,
): Readonly<Record<string, string>> => {
  const hasWords = [typed.prompt, typed.title, description].some((text) => String(text ?? '').trim())
  return { ...limitErrors(typed), ...(hasWords ? {} : { prompt: NO_PROMPT }) }
}

/** Empty fields are left out. Without a title it is the first line of the prompt. */
export const newTaskBody = (form: Iterable<[string, FormDataEntryValue]>): Record<string, unknown> => {
  const given = [...form].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value]] : [],
  )
  const {
    title = '',
    securityMode,
    priority,
    labels,
    runsOn,
    timeoutMs,
    maxSteps,
    maxCostUsd,
    ...rest
  } = Object.fromEntries(given)
  return {
    ...rest,
    title: title.trim() || firstLineTitle(rest.prompt ?? ''),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...readLimits({ timeoutMs, maxSteps, maxCostUsd }),
    ...(labels === undefined ? {} : { labels: labelsIn(labels) }),
    ...(runsOn === undefined ? {} : { runsOn: labelsIn(runsOn) }),
    ...(securityMode === undefined ? {} : { metadata: { securityMode } }),
  }
}

const labelsIn = (text: string) =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '')
