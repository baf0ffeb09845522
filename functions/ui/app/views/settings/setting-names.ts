import type { Settings } from '../../../../../lib/settings/schema.ts'

type Words = {
  label: string
  hint?: string
  /** Milliseconds that are shown and typed as a duration. */
  isDuration?: boolean
  choices?: Readonly<Record<string, string>>
}

/** The default mode of tasks is shown with the policy, which has that of chat. */
export const groups: Readonly<Record<Exclude<keyof Settings, 'tasks'>, string>> = {
  system: 'Sign-in',
  queue: 'Queues',
  concurrency: 'Concurrency',
  retry: 'Retries',
  budget: 'Budgets',
  webhooks: 'Webhooks',
  reporting: 'Reporting',
  memory: 'Memory',
}

/** Settings without an entry are shown by path. */
export const words: Readonly<Record<string, Words>> = {
  'system.authMode': {
    label: 'Sign-in method',
    hint: 'Applies immediately to all users. Make sure you can sign in with the new method.',
    choices: { local: 'Single user, no account', cloud: 'Accounts of this service', oidc: 'OpenID Connect' },
  },
  'system.registrationMode': {
    label: 'Sign-up',
    hint: 'The first account needs no invite, unless sign-up is closed.',
    choices: { invite: 'By invite', open: 'Anyone', closed: 'Closed' },
  },
  'queue.name': { label: 'Task queue' },
  'queue.notificationName': { label: 'Notification queue' },
  'queue.concurrency': { label: 'Concurrent tasks' },
  'queue.notificationConcurrency': { label: 'Concurrent notifications' },
  'concurrency.perAgent': {
    label: 'Tasks per agent',
    hint: 'Others wait in the queue. 0 means no limit.',
  },
  'concurrency.perRepository': { label: 'Tasks per repository', hint: '0 means no limit.' },
  'concurrency.perUser': { label: 'Tasks per user', hint: '0 means no limit.' },
  'retry.attempts': { label: 'Attempts', hint: 'Including the first.' },
  'retry.backoff': { label: 'Backoff', hint: 'E.g. 500ms, 30s or 1m 30s.', isDuration: true },
  'retry.type': { label: 'Backoff type', choices: { exponential: 'Exponential', fixed: 'Fixed' } },
  'budget.monthlyUsd': {
    label: 'Monthly budget',
    hint: 'US dollars for all tasks and chats in a calendar month (UTC). 0 means no limit. When it is used up, new runs wait.',
  },
  'budget.userMonthlyUsd': { label: 'Monthly budget per user', hint: 'US dollars. 0 means no limit.' },
  'budget.unknown': {
    label: 'Runs of unknown cost',
    hint: 'While a budget is set.',
    choices: { warn: 'Run, and notify admins', stop: 'Wait' },
  },
  'webhooks.retryDelaysMs': {
    label: 'Retry delays',
    hint: 'Five durations, comma-separated, e.g. 30s, 5m, 2h.',
    isDuration: true,
  },
  'webhooks.cancelClosed': {
    label: 'Cancel pending tasks of closed issues',
    hint: 'Also when the label is removed from an issue.',
  },
  'memory.recordExperiences': {
    label: 'Record experiences of finished tasks',
    hint: 'Agents use them in similar tasks.',
  },
  'reporting.comments': {
    label: 'Comment on issues when tasks end',
    hint: 'An admin must link an account with write access.',
  },
  'reporting.pullRequests': {
    label: 'Open pull requests',
    hint: 'For changes of the coding agent. Needs a linked GitHub account with write access.',
  },
}
