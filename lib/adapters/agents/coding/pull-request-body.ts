import { neutralText } from '../../../core/neutral-text.ts'
import { madeBy } from '../../../core/own-pull-request.ts'
import { webhookCreator } from '../../../core/principal.ts'
import type { AgentTask } from '../../../ports/agent.ts'

const LONGEST_OUTPUT = 8_000
const MOST_NAMED = 20

type About = {
  task: AgentTask
  output: string
  /** Changed files that are not part of it. */
  leftOut: readonly string[]
}

/** At most so much of a text, up to the end of a line where there is one. */
const shortened = (text: string): string => {
  if (text.length <= LONGEST_OUTPUT) return text
  const start = text.slice(0, LONGEST_OUTPUT)
  const end = start.lastIndexOf('\n')
  return `${(end > LONGEST_OUTPUT / 2 ? start.slice(0, end) : start).toWellFormed()}\n\n[shortened]`
}

/** A code block that is still open at the end of a text would hold what follows. */
const closed = (text: string): string => {
  const fences = text.match(/^ {0,3}(?:`{3,}|~{3,})/gm) ?? []
  const last = fences.at(-1)?.trim() ?? ''
  return fences.length % 2 === 0 ? text : `${text}\n${last}`
}

/** The issue that a webhook made the task of; the creator of a task may name any address. */
const originOf = ({ source, sourceUrl, createdBy }: AgentTask): string | undefined =>
  source !== undefined && createdBy === webhookCreator(source)
    ? sourceUrl && URL.parse(sourceUrl)?.href
    : undefined

/** What a pull request says of itself: what the agent handed in, the task, and what it came from. */
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
