import * as z from 'zod'
import { optionalText } from '../outside-text.ts'

// GitHub's webhook events and payloads, as far as they are read here: docs.github.com/webhooks/webhook-events-and-payloads

const User = z.object({ login: optionalText, type: optionalText }).nullish().catch(undefined)
const LabelName = z
  .object({ name: z.string() })
  .transform(({ name }) => name)
  .optional()
  .catch(undefined)

const LabelNames = z
  .array(LabelName)
  .transform((names) => names.filter((name) => name !== undefined))
  .catch([])

const about = {
  number: z.int(),
  title: optionalText,
  body: optionalText,
  html_url: optionalText,
  labels: LabelNames,
  user: User,
}

const Repository = z.object({ id: z.int().optional().catch(undefined), full_name: z.string() })

/** A pull request is an issue too, which has this field. */
const Issue = z.object({ ...about, pull_request: z.unknown().optional() })

const Side = z
  .object({
    ref: optionalText,
    sha: optionalText,
    repo: z.object({ full_name: optionalText }).nullish().catch(undefined),
  })
  .catch({ ref: undefined, sha: undefined, repo: undefined })

const PullRequest = z.object({ ...about, head: Side, base: Side })

const Comment = z.object({
  body: optionalText,
  html_url: optionalText,
  user: User,
  author_association: optionalText,
  performed_via_github_app: z.unknown().optional(),
})

export const IssueEvent = z.object({ issue: Issue, label: LabelName, repository: Repository })
export const CommentEvent = z.object({ issue: Issue, comment: Comment, repository: Repository })
export const PullRequestEvent = z.object({
  pull_request: PullRequest,
  label: LabelName,
  repository: Repository,
})

export type IssueEvent = z.output<typeof IssueEvent>
export type CommentEvent = z.output<typeof CommentEvent>
export type PullRequestEvent = z.output<typeof PullRequestEvent>
