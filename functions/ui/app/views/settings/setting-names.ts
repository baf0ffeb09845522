type Words = { label: string; hint?: string }

/** The groups of the installation's settings, in their order. */
export const groups = {
  system: 'Sign-in',
  queue: 'Queues',
  retry: 'Retries of tasks',
  tasks: 'Tasks',
  webhooks: 'Webhooks',
  reporting: 'Reporting back',
} as const

/** What settings are called. One that is not here is shown under its own name. */
export const words: Readonly<Record<string, Words>> = {
  'system.authMode': {
    label: 'How people sign in',
    hint: 'Changes at once, for everybody. Be sure that you can get in the other way.',
  },
  'system.registrationMode': { label: 'Who may register', hint: 'The first account needs no invite.' },
  'queue.name': { label: 'Queue of tasks' },
  'queue.notificationName': { label: 'Queue of notifications' },
  'queue.concurrency': { label: 'Tasks at once' },
  'queue.notificationConcurrency': { label: 'Notifications at once' },
  'retry.attempts': { label: 'Attempts', hint: 'The first one included.' },
  'retry.backoff': { label: 'Wait before a retry (ms)' },
  'retry.type': { label: 'How the wait grows' },
  'tasks.securityMode': {
    label: 'Security mode of tasks that name none',
    hint: 'What the coding agent may do by its tools.',
  },
  'webhooks.retryDelaysMs': {
    label: 'Waits before each retry (ms)',
    hint: 'Five of them, with commas in between.',
  },
  'webhooks.cancelClosed': {
    label: 'Cancel waiting tasks of closed issues',
    hint: 'Of those that lose their label too.',
  },
  'memory.recordExperiences': {
    label: 'Record what finished tasks came to',
    hint: 'As experiences in memory, which agents get before tasks that are like those.',
  },
  'reporting.comments': {
    label: 'Comment on the issue when its task ends',
    hint: 'Once an admin has linked an account that may write there.',
  },
  'reporting.pullRequests': {
    label: 'Open pull requests',
    hint: 'Of what the coding agent changed, where an account of the code host is linked that may write.',
  },
}
