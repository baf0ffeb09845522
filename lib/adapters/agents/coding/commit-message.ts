import { cutText } from '../../../core/cut-text.ts'
import { neutralText } from '../../../core/neutral-text.ts'
import type { AgentTask } from '../../../ports/agent.ts'

const TRAILER = 'Agent-Task'
const LONGEST_TITLE = 200
/** The code host accepts 256 characters. */
const LONGEST_NEUTRAL = 250

/** The trailer of a commit that names its task. */
const taskTrailer = (taskId: string) => ({ name: TRAILER, value: taskId })

/** The value of the trailer in `git log --format`; commas separate several values. */
export const trailerFormat = `%(trailers:key=${TRAILER},valueonly,separator=%x2C)`

/** One line that names the task, safe to publish. */
export const publicTitle = ({ id, title }: Pick<AgentTask, 'id' | 'title'>): string => {
  const line = title.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return cutText(neutralText(cutText(line, LONGEST_TITLE)), LONGEST_NEUTRAL) || `Task ${id}`
}

export const commitMessage = (title: string, taskId: string): string =>
  `${title}\n\n${TRAILER}: ${taskTrailer(taskId).value}\n`
