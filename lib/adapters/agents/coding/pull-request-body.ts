import { cutText } from '../../../core/cut-text.ts'
import { neutralText } from '../../../core/neutral-text.ts'
import { madeBy } from '../../../core/own-pull-request.ts'
import { webhookCreator } from '../../../core/principal.ts'
import type { AgentTask } from '../../../ports/agent.ts'

const LONGEST_OUTPUT = 8_000
const MOST_NAMED = 20

type About = {
  task: AgentTask
  output: string
  /** Changed files that the pull request leaves out. */
  leftOut: readonly string[]
}

/** Cuts a text, at the end of a line if possible. */
const shortened = (text: string): string => {
  if (text.length <= LONGEST_OUTPUT) return text
  const start = cutText(text, LONGEST_OUTPUT)
  const end = start.lastIndexOf('\n')
  return `${end > LONGEST_OUTPUT / 2 ? start.slice(0, end) : start}\n\n[shortened]`
}

/** Closes a code block that is open at the end of a text, so that it does not contain the following text. */
const closed = (text: string): string => {
  const fences = text.match(/^ {0,3}(?:`{3,}|~{3,})/gm) ?? []
  const last = fences.at(-1)?.trim() ?? ''
  return fences.length % 2 === 0 ? text : `${text}\n${last}`
}

/** The issue of a webhook's task; the creator of other tasks may name any address. */
const originOf = ({ source, sourceUrl, createdBy }: AgentTask): string | undefined =>
  source !== undefined && createdBy === webhookCreator(source)
    ? sourceUrl && URL.parse(sourceUrl)?.href
    : undefined

/** The text of a pull request: the agent's output, the task, and its issue. */
export const pullRequestBody = ({ task, output, leftOut }: About): string => {
  const origin = originOf(task)
  const named = leftOut.slice(0, MOST_NAMED).map((path) => `- ${neutralText(path.replaceAll('`', "'"))}`)
  const more = leftOut.length > MOST_NAMED ? [`- and ${leftOut.length - MOST_NAMED} more`] : []
  return [
    closed(neutralText(shortened(output.toWellFormed().trim()))),
    ...(leftOut.length > 0
      ? ['', 'Files of credentials were changed as well; they are not part of this:', '', ...named, ...more]
      : []),
    '',
    '---',
    '',
    `${madeBy(task.id)}${origin ? `, which came from <${origin}>` : ''}.`,
  ].join('\n')
}
