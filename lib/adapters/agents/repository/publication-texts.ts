import { cutText, shortenedText } from '../../../core/cut-text.ts'
import { neutralText } from '../../../core/neutral-text.ts'
import { madeBy } from '../../../core/own-pull-request.ts'
import { webhookCreator } from '../../../core/principal.ts'
import type { AgentTask } from '../../../ports/agent.ts'

const LONGEST_OUTPUT = 8_000
const MOST_NAMED = 20
const LONGEST_PATH = 200

type About = {
  task: AgentTask
  output: string
  /** Changed files of credentials, and further files, that the pull request leaves out. */
  credentials: readonly string[]
  leftOut: readonly string[]
}

/** Cuts a text, at the end of a line if possible. */
const shortenedOutput = (text: string): string => {
  if (text.length <= LONGEST_OUTPUT) return text
  const start = cutText(text, LONGEST_OUTPUT)
  const end = start.lastIndexOf('\n')
  return `${end > LONGEST_OUTPUT / 2 ? start.slice(0, end) : start}\n\n[shortened]`
}

/** Closes a code block that is open at the end of a text, so that it does not contain the following text. */
const withClosedFences = (text: string): string => {
  const fences = text.match(/^ {0,3}(?:`{3,}|~{3,})/gm) ?? []
  const last = fences.at(-1)?.trim() ?? ''
  return fences.length % 2 === 0 ? text : `${text}\n${last}`
}

/** The issue of a webhook's task; the creator of other tasks may name any address. */
const issueUrl = ({ source, sourceUrl, createdBy }: AgentTask): string | undefined =>
  source !== undefined && createdBy === webhookCreator(source)
    ? sourceUrl && URL.parse(sourceUrl)?.href
    : undefined

const fileList = (title: string, paths: readonly string[]): string[] => {
  if (paths.length === 0) return []
  const named = paths.slice(0, MOST_NAMED).map((path) => `- ${neutralText(oneLine(path))}`)
  const more = paths.length > MOST_NAMED ? [`- and ${paths.length - MOST_NAMED} more`] : []
  return ['', title, '', ...named, ...more]
}

/** A path as inline text: a name may have line breaks, and be thousands of characters long. */
const oneLine = (path: string): string =>
  shortenedText(path.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll('`', "'"), LONGEST_PATH)

/** The text of a pull request: the agent's output, the task, and its issue. */
export const pullRequestBody = ({ task, output, credentials, leftOut }: About): string => {
  const origin = issueUrl(task)
  return [
    withClosedFences(neutralText(shortenedOutput(output.toWellFormed().trim()))),
    ...fileList('Not included, because they may contain credentials:', credentials),
    ...fileList('Not included, because git cannot store them:', leftOut),
    '',
    '---',
    '',
    `${madeBy(task.id)}${origin ? `, which came from <${origin}>` : ''}.`,
  ].join('\n')
}

const TRAILER = 'Agent-Task'
const LONGEST_TITLE = 200
/** The code host accepts 256 characters. */
const LONGEST_NEUTRAL = 250

/** The value of the trailer in `git log --format`; commas separate several values. */
export const trailerFormat = `%(trailers:key=${TRAILER},valueonly,separator=%x2C)`

/** One line that names the task, safe to publish. */
export const publicTitle = ({ id, title }: Pick<AgentTask, 'id' | 'title'>): string => {
  const line = title.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return cutText(neutralText(cutText(line, LONGEST_TITLE)), LONGEST_NEUTRAL) || `Task ${id}`
}

export const commitMessage = (title: string, taskId: string): string => `${title}\n\n${TRAILER}: ${taskId}\n`
