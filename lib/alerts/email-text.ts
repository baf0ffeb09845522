import type { Approval } from '../approvals/schema.ts'
import { costText } from '../core/cost-text.ts'
import { oneLine } from '../core/shown-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Task } from '../tasks/schema.ts'

const LONGEST_TITLE = 120
const LONGEST_REASON = 300

export type Told = { approval: Approval } | { task: Task }
type Means = { baseUrl: string; masked: (text: string) => string; hasMore: boolean }
type Message = Pick<Mail, 'subject' | 'text'>

const line = (text: string | undefined, most = LONGEST_TITLE) => oneLine(text, most) ?? 'untitled'

/** What happened, in a subject and a sentence; and where the page shows it. A link decides nothing: that needs a session. */
const described = (told: Told, { baseUrl, masked }: Means) => {
  if ('approval' in told) {
    const { id, toolName } = told.approval
    const name = line(toolName)
    return {
      subject: `Approval needed: ${name}`,
      sentence: `An agent wants to use ${name} and needs your approval.`,
      link: `${baseUrl}/inbox?item=approval:${encodeURIComponent(id)}`,
    }
  }
  const { id, title, status, error } = told.task
  const link = `${baseUrl}/tasks/${encodeURIComponent(id)}`
  const name = line(masked(title))
  const { question } = told.task
  if (question !== undefined) {
    const asked = oneLine(masked(question.text), LONGEST_REASON)
    return { subject: `Question: ${name}`, sentence: `Your task “${name}” asks: ${asked}`, link }
  }
  if (status === 'completed') {
    const { cost } = told.task
    const price = cost && cost.usd !== null ? ` It cost ${costText(cost)}.` : ''
    return { subject: `Completed: ${name}`, sentence: `Your task “${name}” is complete.${price}`, link }
  }
  const reason = oneLine(masked(error?.message ?? ''), LONGEST_REASON)
  return {
    subject: `Failed: ${name}`,
    sentence: `Your task “${name}” failed${reason === undefined ? '.' : `: ${reason}`}`,
    link,
  }
}

const counted = (count: number, one: string, many: string) =>
  count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${many}`]

/** The subject of a message about several things. */
const summary = (told: readonly Told[]): string => {
  const tasks = told.flatMap((one) => ('task' in one ? [one.task] : []))
  const asked = tasks.filter(({ question }) => question !== undefined).length
  const ended = tasks.flatMap(({ question, status }) => (question === undefined ? [status] : []))
  const completed = ended.filter((status) => status === 'completed').length
  return [
    ...counted(told.length - tasks.length, 'approval needed', 'approvals needed'),
    ...counted(asked, 'question', 'questions'),
    ...counted(ended.length - completed, 'task failed', 'tasks failed'),
    ...counted(completed, 'task completed', 'tasks completed'),
  ].join(', ')
}

const footer = (baseUrl: string) =>
  `You receive this message because email is turned on in your settings: ${baseUrl}/settings/messages`

/** One message about everything that has happened since the last one. */
export const emailAbout = (told: readonly [Told, ...Told[]], means: Means): Message => {
  const parts = told.map((one) => described(one, means))
  const [{ subject } = { subject: '' }] = parts
  const text = parts.map(({ sentence, link }) => `${sentence}\n${link}`)
  const { baseUrl, hasMore } = means
  const more = hasMore ? [`There is more in your inbox: ${baseUrl}/inbox`] : []
  return {
    subject: parts.length === 1 ? subject : `${summary(told)}${hasMore ? ', and more' : ''}`,
    text: `${[...text, ...more, footer(baseUrl)].join('\n\n')}\n`,
  }
}

export const testEmail = (baseUrl: string): Message => ({
  subject: 'Test message',
  text: `Email works: approvals and results are sent to this address.\n${baseUrl}/inbox\n\n${footer(baseUrl)}\n`,
})
