import * as z from 'zod'
import type { CreateTask } from '../tasks/schema.ts'
import {
  type Ask,
  firstLabelKind,
  type LabelKind,
  type Labels,
  labelKinds,
  type Provider,
  type Rule,
  rule,
  type Verdict,
} from './ask.ts'
import { orderIn } from './order.ts'
import { lenient, lenientList, optionalText } from './outside-text.ts'

// The fields of Linear's webhook payloads that are read here: linear.app/developers/webhooks

const Label = z.object({ id: optionalText, name: z.string() })

const Issue = z.object({
  id: z.string(),
  identifier: optionalText,
  title: optionalText,
  description: optionalText,
  url: optionalText,
  priority: z.number().optional().catch(undefined),
  labels: lenientList(Label),
  state: lenient(z.object({ type: optionalText })),
  branchName: optionalText,
  /** Set for an issue that a person outside of the workspace opened, in a tool that is connected to it. */
  externalUserCreator: z.unknown().optional(),
  externalUserCreatorId: z.unknown().optional(),
})

const Before = lenient(z.object({ labelIds: lenient(z.array(z.string())), stateId: optionalText }))

const Actor = lenient(z.object({ type: optionalText, name: optionalText }))

const Commented = lenient(
  z.object({ id: optionalText, identifier: optionalText, title: optionalText, url: optionalText }),
)

const Comment = z.object({
  body: optionalText,
  issueId: optionalText,
  issue: Commented,
  user: lenient(z.object({ name: optionalText })),
  botActor: z.unknown().optional(),
  /** Set for a person outside of the workspace, who wrote in a tool that is connected to it. */
  externalUser: z.unknown().optional(),
  externalUserId: z.unknown().optional(),
})

/** `actor` caused the event: a user, an OAuth client, or an integration. */
const IssueEvent = z.object({ data: Issue, updatedFrom: Before, actor: Actor, url: optionalText })
const CommentEvent = z.object({ data: Comment, actor: Actor, url: optionalText })

type IssueEvent = z.output<typeof IssueEvent>
type CommentEvent = z.output<typeof CommentEvent>

/** Linear's numbers are the priorities here, except 0, which means none. */
const priorityNumbered = (number: number | undefined): CreateTask['priority'] | undefined =>
  number === 1 || number === 2 || number === 3 || number === 4 ? number : undefined

const askAbout = (kind: 'task' | 'review', { data, url }: IssueEvent): Ask => ({
  kind,
  issue: data.id,
  at: { id: data.id },
  sourceId: data.identifier ?? data.id,
  title: data.title,
  description: data.description,
  url: data.url ?? url,
  labels: data.labels.map(({ name }) => name),
  priority: priorityNumbered(data.priority),
  branch: data.branchName,
})

const isOpenedOutside = ({ data }: IssueEvent): boolean =>
  Boolean(data.externalUserCreator || data.externalUserCreatorId)
/** Whether an integration repeats what people did in another tool; an event without an actor counts as such. */
const isRelayed = ({ actor }: IssueEvent): boolean =>
  [undefined, 'integration'].includes(actor?.type?.toLowerCase())
const BY_OUTSIDER = 'The issue was opened outside the workspace. A member of the workspace must add the label'

const created = (event: IssueEvent, labels: Labels): Ask | string => {
  const openedWith = labelKinds(namesIn(event), labels)
  const [kind] = openedWith
  if (kind === undefined) return 'The issue does not have the task label'
  if (isOpenedOutside(event)) return BY_OUTSIDER
  return { ...askAbout(kind, event), openedWith }
}

const namesIn = ({ data }: IssueEvent): string[] => data.labels.map(({ name }) => name)

const updated = (event: IssueEvent, labels: Labels): Verdict => {
  const kind = firstLabelKind(addedIn(event), labels)
  if (kind !== undefined)
    return isOpenedOutside(event) && isRelayed(event) ? BY_OUTSIDER : askAbout(kind, event)
  const { id: issue, state } = event.data
  if (event.updatedFrom?.stateId !== undefined && CLOSED.has(state?.type ?? ''))
    return { issue, withdrawn: 'all' }
  const withdrawn = missingIn(event, labels)
  return withdrawn.length === 0 ? 'The task label was not added or removed' : { issue, withdrawn }
}

const CLOSED = new Set(['completed', 'canceled', 'duplicate'])

/** The kinds of requests that an issue has lost. The payload has only the id of the lost label. */
const missingIn = (event: IssueEvent, labels: Labels): LabelKind[] => {
  const now = event.data.labels.map(({ id }) => id)
  const hasLost = (event.updatedFrom?.labelIds ?? []).some((id) => !now.includes(id))
  if (!hasLost) return []
  const present = labelKinds(namesIn(event), labels)
  return (['task', 'review'] as const).filter((kind) => !present.includes(kind))
}

const addedIn = ({ data, updatedFrom }: IssueEvent): string[] => {
  const before = updatedFrom?.labelIds
  if (!before) return []
  return data.labels.filter(({ id }) => id !== undefined && !before.includes(id)).map(({ name }) => name)
}

/** `https://linear.app/acme/issue/ENG-12/title#comment-1`: the address of a comment contains its issue. */
const ADDRESS = /^(https?:\/\/[^/?#]+\/[^/?#]+\/issue\/([A-Z0-9]+-\d+)[^?#]*)/i

const commented = ({ data, actor, url }: CommentEvent): Ask | string => {
  const order = orderIn(data.body, 'markdown')
  if (order === undefined) return 'The comment does not start with /ai and a request'
  if (data.botActor || (actor?.type ?? 'user').toLowerCase() !== 'user')
    return 'Comments of bots do not create tasks'
  if (data.externalUser || data.externalUserId)
    return 'Comments of people outside the workspace do not create tasks'
  const issue = data.issueId ?? data.issue?.id
  if (issue === undefined) return 'The comment is not on an issue'
  const [, address, identifier] = ADDRESS.exec(url ?? '') ?? []
  const sourceId = data.issue?.identifier ?? identifier ?? issue
  return {
    kind: 'comment',
    issue,
    order,
    sourceId,
    at: { id: issue },
    title: data.issue?.title,
    description: undefined,
    url: data.issue?.url ?? address,
    labels: [],
    facts: { 'comment by': data.user?.name ?? actor?.name },
  }
}

const rules: Readonly<Record<string, Rule>> = {
  'Issue.create': rule(IssueEvent, created),
  'Issue.update': rule(IssueEvent, updated),
  'Issue.remove': rule(IssueEvent, ({ data }) => ({ issue: data.id, withdrawn: 'all' })),
  'Comment.create': rule(CommentEvent, commented),
}

const Acted = z.object({ type: z.string(), action: z.string() })

export const trackerb: Provider = {
  eventName: (payload) => {
    const { data } = Acted.safeParse(payload)
    return data && `${data.type}.${data.action}`
  },
  rules,
}
