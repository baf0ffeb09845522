import * as path from 'node:path'
import { LONGEST_ATTEMPT_MS, MOST_STEPS, SHORTEST_ATTEMPT_MS } from '../core/attempt-limit.ts'
import { HIGHEST_COST_LIMIT_USD } from '../core/cost-limit.ts'
import { definedFields } from '../core/defined-fields.ts'
import { firstLineTitle } from '../core/first-line-title.ts'
import { MOST_ASKED_LABELS } from '../core/runner-labels.ts'
import type { Options, OptionValues } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { budgetOption, modeOption, parseBudget, parseMode } from './mode-and-budget.ts'

const parsePriority = (text: string | undefined, command: string) => {
  if (text === undefined) return {}
  const priority = [1, 2, 3, 4].find((each) => String(each) === text)
  if (priority === undefined)
    throw new UsageError('--priority must be 1 (critical), 2 (high), 3 (normal) or 4 (low)', command)
  return { priority: priority as 1 | 2 | 3 | 4 }
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }

const parseTimeout = (text: string | undefined, command: string) => {
  if (text === undefined) return {}
  const [, count, unit = ''] = /^(\d{1,5})([smh])$/.exec(text) ?? []
  const timeoutMs = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  if (timeoutMs >= SHORTEST_ATTEMPT_MS && timeoutMs <= LONGEST_ATTEMPT_MS) return { timeoutMs }
  throw new UsageError('--timeout must be 1s to 24h, such as 90s, 30m or 2h', command)
}

const parseMaxSteps = (text: string | undefined, command: string) => {
  if (text === undefined) return {}
  const maxSteps = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (maxSteps >= 1 && maxSteps <= MOST_STEPS) return { maxSteps }
  throw new UsageError(`--max-steps must be 1 to ${MOST_STEPS}`, command)
}

const parseMaxCost = (text: string | undefined, command: string) => {
  if (text === undefined) return {}
  const maxCostUsd = /^\d{1,7}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0
  if (maxCostUsd > 0 && maxCostUsd <= HIGHEST_COST_LIMIT_USD) return { maxCostUsd }
  throw new UsageError('--max-cost must be an amount above 0 in US dollars, such as 2.50', command)
}

/** Labels in one argument are separated by commas. */
const parseRunsOn = (texts: readonly string[] | undefined, command: string) => {
  if (texts === undefined) return {}
  const runsOn = texts.flatMap((text) => text.split(',').map((label) => label.trim()))
  if (runsOn.length <= MOST_ASKED_LABELS && runsOn.every((label) => label !== '')) return { runsOn }
  throw new UsageError(`--runs-on must be 1 to ${MOST_ASKED_LABELS} labels, such as gpu,linux`, command)
}

/** The service does not know the folder of this command: `.`, `./web` and `../web` become absolute. */
const absoluteRepository = (repo: string): string => (/^\.\.?(?:\/|$)/.test(repo) ? path.resolve(repo) : repo)

/** The options that define a task. */
export const taskOptions = {
  repo: {
    type: 'string',
    value: 'repository',
    about: 'owner/repo, an https URL, or a path on the machine of the service, such as .',
  },
  branch: { type: 'string', value: 'name', about: 'the branch to work on; created unless it exists' },
  agent: { type: 'string', value: 'type', about: 'the agent; the default agent if not set' },
  title: { type: 'string', about: 'the title; the first line of the prompt if not set' },
  priority: { type: 'string', value: '1-4', about: '1 (critical) to 4 (low), 3 by default' },
  label: { type: 'string', multiple: true, value: 'name', about: 'a label; can be repeated' },
  timeout: {
    type: 'string',
    value: 'duration',
    about: 'the time limit of each attempt, 1s to 24h; that of the agent if not set',
  },
  'max-steps': { type: 'string', value: 'number', about: 'the maximum steps of each attempt, 1 to 200' },
  'max-cost': {
    type: 'string',
    value: 'usd',
    about: 'the maximum cost of all attempts together, in US dollars',
  },
  ...budgetOption,
  ...modeOption,
  'runs-on': {
    type: 'string',
    multiple: true,
    value: 'labels',
    about: 'the labels its runner must have, comma-separated',
  },
} as const satisfies Options

/** The task of a prompt and its options. Throws UsageError for the command of that name. */
export const newTask = (prompt: string, values: OptionValues<typeof taskOptions>, command: string) => {
  const { repo, branch, agent, label = [] } = values
  const metadata = definedFields({
    securityMode: parseMode(values.mode, command),
    maxBudget: parseBudget(values.budget, command),
  })
  return {
    title: values.title ?? firstLineTitle(prompt),
    prompt,
    labels: label,
    ...parsePriority(values.priority, command),
    ...parseTimeout(values.timeout, command),
    ...parseMaxSteps(values['max-steps'], command),
    ...parseMaxCost(values['max-cost'], command),
    ...parseRunsOn(values['runs-on'], command),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...definedFields({ repository: repo && absoluteRepository(repo), branch, assignedAgent: agent }),
  }
}
