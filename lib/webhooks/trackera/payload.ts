import * as z from 'zod'
import { plainText } from '../../core/document-text.ts'
import { optionalText } from '../outside-text.ts'

// Jira's webhook events, as far as they are read here: developer.atlassian.com/cloud/jira/platform/webhooks

const Prose = z.unknown().optional().transform(plainText)

const Fields = z
  .object({
    summary: optionalText,
    description: Prose,
    labels: z.array(z.string()).catch([]),
    priority: z.object({ name: optionalText }).nullish().catch(undefined),
    status: z
      .object({ statusCategory: z.object({ key: optionalText }).nullish().catch(undefined) })
      .nullish()
      .catch(undefined),
  })
  .catch({ summary: undefined, description: undefined, labels: [], priority: undefined, status: undefined })

const Id = z
  .union([z.string(), z.number().transform(String)])
  .optional()
  .catch(undefined)

const Issue = z.object({ id: Id, self: optionalText, key: z.string(), fields: Fields })

const textAt = (item: Readonly<Record<string, unknown>>, name: string): string => {
  const value = Object.hasOwn(item, name) ? item[name] : undefined
  return typeof value === 'string' ? value : ''
}

/**
 * What a change was from and to; labels are separated by spaces, which none has in it. Every object has a `toString`, so
 * that its own is asked for.
 */
const Change = z.record(z.string(), z.unknown()).transform((item) => ({
  field: textAt(item, 'field'),
  from: textAt(item, 'fromString'),
  to: textAt(item, 'toString'),
}))

const Changelog = z
  .object({ items: z.array(Change).catch([]) })
  .optional()
  .catch(undefined)

const Author = z.object({ displayName: optionalText, accountType: optionalText }).nullish().catch(undefined)

const Comment = z.object({ body: Prose, author: Author })

export const IssueEvent = z.object({ issue: Issue, changelog: Changelog })
/** What kind of change it was; Server and Data Center say so of comments too. */
export const TypedEvent = z.object({ issue_event_type_name: z.string() })
export const CommentEvent = z.object({ issue: Issue, comment: Comment })

export type IssueEvent = z.output<typeof IssueEvent>
export type CommentEvent = z.output<typeof CommentEvent>
