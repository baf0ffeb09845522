import { Link } from '@tanstack/react-router'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { ErrorCode } from '../../components/error-code.tsx'
import { formatNumber } from '../../components/format.ts'
import { TextPieces } from '../../components/plain-text.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { useFailures } from '../../data/failures.ts'
import { Section } from './section.tsx'

/** Advice by error code, where there is more to say than that the cause is in the message. */
const advice: Readonly<Record<string, string>> = {
  agent_unavailable: 'The agent is no longer set up. Set it up, or run the task again with another agent.',
  provider_error: 'The model provider failed. Check its key and its status, then retry.',
  agent_failed: 'The agent reported that it did not succeed. Reply with what to change, or retry.',
  agent_not_configured: 'Do what the message says, then retry.',
  agent_not_signed_in: 'Set the key of its provider, then retry.',
  agent_exited: 'The agent program exited. Its last output is at the end of the message.',
  agent_silent: 'The agent program sent nothing for 10 minutes. Check the log, then retry.',
  approval_expired: 'A tool call was not decided in time. Retry, then allow or deny it in time.',
  cost_limit_reached: 'Raise the cost limit, or split the task.',
  rate_limited: 'The model provider is rate limiting. Wait, or run fewer tasks at once.',
  clone_failed:
    'The repository could not be cloned. Check its name, the branch and, on GitHub, the linked account.',
  model_unknown: 'No provider has this model. Check the provider keys and the model name.',
  worker_lost: 'The worker process died. Check its log for memory and time limits, then retry.',
  workspace_failed:
    'The workspace could not be prepared. Check the repository, the branch and the linked account.',
}
const WITHOUT_MESSAGE = 'The agent gave no reason. The log may have it.'

/** More of the first line is shown with the rest of the message. */
const LONGEST_REASON = 300

/** The message in two parts: the reason in one line, and what follows. */
const splitMessage = (message: string): readonly [reason: string, rest: string] => {
  const text = message.trim()
  const end = text.indexOf('\n')
  const first = end < 0 ? text : text.slice(0, end)
  if (first.length > LONGEST_REASON) return ['', text]
  return [first, end < 0 ? '' : text.slice(end + 1).replace(/^\s*\n/, '')]
}

type Props = {
  error: NonNullable<Task['error']>
  title: string
  /** The group of failures that a failed task belongs to. */
  fingerprint?: string | undefined
}

export const Failure = ({ error, title, fingerprint }: Props) => {
  const [reason, rest] = splitMessage(error.message)
  const hint = advice[error.code] ?? (error.message.trim() === '' ? WITHOUT_MESSAGE : undefined)
  return (
    <Section title={title}>
      <div className="flex flex-col gap-2 px-3.5 pt-0.5 pb-3">
        {reason && (
          <p className="text-lg leading-snug font-semibold text-destructive [overflow-wrap:anywhere]">
            {reason}
          </p>
        )}
        {rest && (
          <Scroller
            label="Error"
            className="max-h-80 overflow-y-auto rounded-md border bg-muted/60 px-3 py-2"
          >
            <p className="font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
              <TextPieces text={rest} />
            </p>
          </Scroller>
        )}
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <ErrorCode code={error.code} />
          {fingerprint !== undefined && <Alike fingerprint={fingerprint} />}
        </p>
        {hint && <p className="text-muted-foreground">{hint}</p>}
      </div>
    </Section>
  )
}

const WEEK_HOURS = 7 * 24

/** Leads to the tasks that failed for the same cause. Renders nothing while their number is not known, or for a single one. */
const Alike = ({ fingerprint }: { fingerprint: string }) => {
  const { data } = useFailures(WEEK_HOURS)
  const group = data?.failures.find((each) => each.fingerprint === fingerprint)
  if (group === undefined || group.count < 2) return null
  return (
    <Link
      to="/tasks/queue"
      search={{ status: 'all', fingerprint }}
      className="font-medium underline underline-offset-2"
    >
      {formatNumber(group.count)} similar failures in the last 7 days
    </Link>
  )
}
