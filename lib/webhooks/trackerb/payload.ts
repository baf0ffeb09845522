import * as z from 'zod'
import { optionalText } from '../outside-text.ts'

// Linear's webhook payloads, as far as they are read here: linear.app/developers/webhooks

const Label = z.object({ id: optionalText, name: z.string() }).optional().catch(undefined)
const Labels = z
  .array(Label)
  .transform((labels) => labels.filter((label) => label !== undefined))
  .catch([])

const Issue = z.object({
  id: z.string(),
  identifier: optionalText,
  title: optionalText,
  description: optionalText,
  url: optionalText,
  priority: z.number().optional().catch(undefined),
  labels: Labels,
  state: z.object({ type: optionalText }).nullish().catch(undefined),
  branchName: optionalText,
})

/** The fields that a change changed, as they were before. */
const Before = z
  .object({ labelIds: z.array(z.string()).optional().catch(undefined), stateId: optionalText })
  .nullish()
  .catch(undefined)

const Actor = z.object({ type: optionalText, name: optionalText }).nullish().catch(undefined)

const Commented = z
  .object({
    id: optionalText,
    identifier: optionalText,
    title: optionalText,
    url: optionalText,
  })
  .nullish()
  .catch(undefined)

const Comment = z.object({
  body: optionalText,
  issueId: optionalText,
  issue: Commented,
  user: z.object({ name: optionalText }).nullish().catch(undefined),
  botActor: z.unknown().optional(),
})

export const IssueEvent = z.object({ data: Issue, updatedFrom: Before, url: optionalText })
export const CommentEvent = z.object({ data: Comment, actor: Actor, url: optionalText })

export type IssueEvent = z.output<typeof IssueEvent>
export type CommentEvent = z.output<typeof CommentEvent>
