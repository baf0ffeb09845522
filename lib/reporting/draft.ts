import { CONTROLS } from '../core/controls.ts'
import { cutText } from '../core/cut-text.ts'
import type { Masker } from '../core/masker.ts'
import { neutralText } from '../core/neutral-text.ts'
import { questionIn } from '../core/question.ts'
import type { CommentDraft, Link } from '../ports/tracker.ts'
import type { Task } from '../tasks/schema.ts'

/** The most characters of a result or an error, before it is made neutral. */
const LONGEST_TEXT = 8_000
const LONGEST_URL = 2_000

type Needs = { masker: Pick<Masker, 'logText'>; publicUrl: string | undefined }

/** The comment about an ended task. The agent's texts are untrusted and come last. */
export const createCommentDraft =
  ({ masker, publicUrl }: Needs) =>
  (task: Task, mark: string): CommentDraft => {
    const { id, status, attempts } = task
    const isCompleted = status === 'completed'
    const text = masker.logText(isCompleted ? (task.result?.output ?? '') : errorText(task)).trim()
    const isCut = text.length > LONGEST_TEXT
    const page: Link[] = publicUrl
      ? [{ label: 'the task', url: `${publicUrl}/tasks/${encodeURIComponent(id)}` }]
      : []
    return {
      mark,
      headline: headline(task),
      facts: [
        `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
        ...(page.length === 0 ? [id] : []),
        ...(isCut ? ['shortened; see the task for the full text'] : []),
      ],
      links: [...page, ...pullRequestLinks(task)],
      text: neutralText(plainText(isCut ? `${cutText(text, LONGEST_TEXT)} […]` : text)),
    }
  }

const headline = ({ status, result }: Task): string => {
  if (status !== 'completed') return 'Task failed'
  return questionIn(result) === undefined ? 'Task completed' : 'The agent has a question'
}

const errorText = ({ error }: Task): string =>
  error ? `${error.code}: ${error.message}` : 'No error message'

/** Removes control characters except line breaks and tabs. */
const plainText = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) =>
      line
        .split('\t')
        .map((part) => part.replaceAll(CONTROL, ''))
        .join('\t'),
    )
    .join('\n')

const CONTROL = new RegExp(CONTROLS, 'gu')

/** The pull request that the run opened, if its result names one. */
const pullRequestLinks = ({ result }: Task): Link[] => {
  const published = result?.published as { pullRequest?: { url?: unknown } } | undefined
  const url = published?.pullRequest?.url
  const isUrl = typeof url === 'string' && url.length <= LONGEST_URL && /^https?:\/\//i.test(url)
  return isUrl && URL.canParse(url) ? [{ label: 'the pull request', url: new URL(url).href }] : []
}
