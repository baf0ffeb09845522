import { neutralText } from '../../../core/neutral-text.ts'
import type { AgentTask } from '../../../ports/agent.ts'

const TRAILER = 'Agent-Task'
const LONGEST_TITLE = 200
/** The code host takes 256 characters. */
const LONGEST_NEUTRAL = 250

/** By what a commit says which task it was made for. */
export const taskTrailer = (taskId: string) => ({ name: TRAILER, value: taskId })

/** That value in `git log --format`; several are separated by commas. */
export const trailerFormat = `%(trailers:key=${TRAILER},valueonly,separator=%x2C)`

/** One line that names the task, fit to be published. */
export const publicTitle = ({ id, title }: Pick<AgentTask, 'id' | 'title'>): string => {
  const line = title.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return neutralText(line.slice(0, LONGEST_TITLE)).slice(0, LONGEST_NEUTRAL).toWellFormed() || `Task ${id}`
}

export const commitMessage = (title: string, taskId: string): string =>
  `${title}\n\n${TRAILER}: ${taskTrailer(taskId).value}\n`
