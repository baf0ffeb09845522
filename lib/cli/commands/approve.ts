import type { Approval, Decision } from '../../approvals/schema.ts'
import { shortenedText } from '../../core/cut-text.ts'
import { defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../exit-codes.ts'
import type { Service } from '../service.ts'
import { findApprovalId } from '../short-id.ts'
import { safeLine, type Terminal } from '../terminal.ts'

/** The arguments of one call in the list; `--json` has them whole. */
const MOST_OF_ARGUMENTS = 1_000

const place = ({ taskId, conversationId }: Approval): string =>
  taskId === undefined ? `conversation ${conversationId}` : `task ${taskId}`

const list = (approvals: readonly Approval[], { out, say, paint }: Terminal) => {
  if (approvals.length === 0) say('No tool calls need your approval.')
  for (const approval of approvals) {
    const { id, title, securityLevel, params } = approval
    out(
      `${safeLine(id)}  ${paint('bold', safeLine(title))}  (${securityLevel}, ${safeLine(place(approval))})`,
    )
    out(`  ${shortenedText(safeLine(JSON.stringify(params)), MOST_OF_ARGUMENTS)}`)
  }
}

export const approve = defineCommand({
  name: 'approve',
  usage: '[<approval id>] [--deny | --always]',
  about: 'List the tool calls that need your approval, approve one, or deny it.',
  details:
    'The last 6 characters of an id are enough. The task or conversation then continues. A decision cannot be changed.',
  options: {
    deny: { type: 'boolean', about: 'deny the call; the agent is informed and continues without it' },
    always: { type: 'boolean', about: 'approve the tool for the rest of its task or conversation' },
  },
  words: [0, 1],
  run: async ({ values, words: [given], terminal, service }) => {
    const { deny = false, always = false, json = false } = values
    if (deny && always) throw new UsageError('Choose one of --deny and --always', 'approve')
    if (given !== undefined) {
      const decision = deny ? 'deny' : always ? 'allow-always' : 'allow-once'
      return decide(given, decision, service(), terminal, json)
    }
    if (deny || always)
      throw new UsageError('An approval id is missing: agent-tasks approve <approval id>', 'approve')
    const answer = await service().client.listApprovals()
    if (json) terminal.json(answer)
    else list(answer.approvals, terminal)
    return EXIT.done
  },
})

const decide = async (
  given: string,
  decision: Decision,
  service: Service,
  terminal: Terminal,
  json: boolean,
): Promise<number> => {
  const id = await findApprovalId(service, given)
  const answer = await service.client.decideApproval({ params: { id }, body: { decision } })
  const { title } = answer.approval
  if (json) terminal.json(answer)
  else terminal.out(`${safeLine(id)} is ${decision === 'deny' ? 'denied' : 'approved'}: ${safeLine(title)}`)
  return EXIT.done
}
