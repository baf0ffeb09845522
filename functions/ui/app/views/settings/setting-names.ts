import type { Settings } from '../../../../../lib/settings/catalog.ts'

type Words = {
  label: string
  hint?: string
  /** Milliseconds that are shown and typed as a duration. */
  isDuration?: boolean
  choices?: Readonly<Record<string, string>>
}

export const groups: Readonly<Record<keyof Settings, string>> = {
  system: 'Sign-in',
  queue: 'Queues',
  retry: 'Retries of tasks',
  tasks: 'Tasks',
  webhooks: 'Webhooks',
  reporting: 'Reporting back',
  memory: 'Memory',
}

/** Settings without an entry are shown by path. */
export const words: Readonly<Record<string, Words>> = {
  'system.authMode': {
    label: 'How people sign in',
    hint: 'Changes at once, for everybody. Be sure that you can get in the other way.',
    choices: {
      local: 'One person, without an account',
      cloud: 'With accounts of this service',
      oidc: 'With an OpenID Connect issuer',
    },
  },
  'system.registrationMode': {
    label: 'Who may register',
    hint: 'The first account needs no invite, unless registration is closed.',
    choices: { invite: 'People with an invite', open: 'Anyone', closed: 'No one' },
  },
  'queue.name': { label: 'Queue of tasks' },
  'queue.notificationName': { label: 'Queue of notifications' },
  'queue.concurrency': { label: 'Tasks at once' },
  'queue.notificationConcurrency': { label: 'Notifications at once' },
  'retry.attempts': { label: 'Attempts', hint: 'The first one included.' },
  'retry.backoff': {
    label: 'Wait before a retry',
    hint: 'Such as 500ms, 30s or 1m 30s.',
    isDuration: true,
  },
  'retry.type': {
    label: 'How the wait grows',
    choices: { exponential: 'It doubles with each retry', fixed: 'It stays the same' },
  },
  'tasks.securityMode': {
    label: 'Security mode of tasks that name none',
    hint: 'What the coding agent may do by its tools.',
    choices: {
      deny: 'No tools',
      sandbox: 'Read only',
      allowlist: 'Allowed tools',
      ask: 'Ask first',
      full: 'All tools',
    },
  },
  'webhooks.retryDelaysMs': {
    label: 'Waits before each retry',
    hint: 'Five of them, with commas in between, such as 30s, 5m, 2h.',
    isDuration: true,
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
