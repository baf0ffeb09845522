import { readLimits } from './limits.ts'

/** Empty fields are left out. */
export const newTaskBody = (form: Iterable<[string, FormDataEntryValue]>): Record<string, unknown> => {
  const given = [...form].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value]] : [],
  )
  const {
    title = '',
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
    title: title.trim(),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...readLimits({ timeoutMs, maxSteps, maxCostUsd }),
    ...(labels === undefined ? {} : { labels: labelsIn(labels) }),
    ...(runsOn === undefined ? {} : { runsOn: labelsIn(runsOn) }),
  }
}

const labelsIn = (text: string) =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '')
