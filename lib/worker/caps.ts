import type { TaskRow } from '../tasks/schema.ts'

/** The most tasks that run at once of each agent, of each repository, and of each user; 0 is no cap. */
export type Caps = { perAgent: number; perRepository: number; perUser: number }

/** What a task counts toward. */
export type Counted = Pick<TaskRow, 'agent' | 'createdBy'> & { repository?: string | undefined }

export type Cap = keyof Caps

const counted: Readonly<Record<Cap, { of: (task: Counted) => string | undefined; named: string }>> = {
  perAgent: { of: ({ agent }) => agent, named: 'the agent' },
  perUser: { of: ({ createdBy }) => createdBy, named: 'the user' },
  perRepository: { of: ({ repository }) => repository, named: 'the repository' },
}

export const CAPS = Object.keys(counted) as readonly Cap[]

/** The name under which a task counts toward a cap; undefined for a task without a repository. */
export const nameUnder = (cap: Cap, task: Counted): string | undefined => counted[cap].of(task)

/** `the user ann runs 2 of at most 2 tasks` */
export const capText = (cap: Cap, task: Counted, running: number, most: number): string =>
  `${counted[cap].named} ${nameUnder(cap, task)} is running ${running} of at most ${most} ${most === 1 ? 'task' : 'tasks'}`
