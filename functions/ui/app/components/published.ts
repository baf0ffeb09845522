import type { Task } from '../../../../lib/tasks/schema.ts'
import { httpsLink } from './link.ts'
import { startOfLine } from './text-weight.ts'

export type Fault = { code: string; message: string }
export type Published = {
  status: 'published' | 'failed'
  branch: string
  pullRequest?: { number: number; url: string }
  /** Where the code host compares a branch that was pushed. */
  compareUrl?: string
  error?: Fault
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Results come from agents and may hold anything. */
export const publishedIn = ({ result }: Pick<Task, 'result'>): Published | undefined => {
  const published = result?.published
  return isObject(published) && typeof published.branch === 'string' ? (published as Published) : undefined
}

/** The pull request of a task, or the page of its code host that creates one from a pushed branch. */
export const pullRequestLink = (task: Pick<Task, 'result'>): { label: string; href: string } | undefined => {
  const published = publishedIn(task)
  const open = httpsLink(published?.pullRequest?.url)
  if (open) return { label: `Open PR #${startOfLine(String(published?.pullRequest?.number))}`, href: open }
  const compare = httpsLink(published?.compareUrl)
  return compare ? { label: 'Create PR', href: compare } : undefined
}
