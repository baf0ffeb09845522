import type { Task } from '../../../../../lib/tasks/schema.ts'
import { ErrorCode } from '../../components/error-code.tsx'
import { TextPieces } from '../../components/plain-text.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { Section } from './section.tsx'

/** Advice by error code. */
const advice: Readonly<Record<string, string>> = {
  agent_unavailable: 'Its agent is no longer configured. Configure it, or create the task for another agent.',
  timeout:
    'The attempt reached its time limit. Raise the limit that the message names, split the task, or narrow the prompt.',
  provider_error: 'The model provider failed. Check its key and its status, then retry.',
  agent_error: 'The agent failed with an error. Read its message, fix the cause, then retry.',
  rate_limited: 'The model provider refused requests beyond its limit. Wait, or run fewer tasks at once.',
  clone_failed: 'The repository could not be cloned. Check its name, the branch and the linked account.',
  model_unknown: 'No provider has this model. Check the provider keys and the model name.',
  worker_lost:
    'The worker process died during its attempts. Look in its log for memory and time limits, then retry.',
  workspace_failed:
    'The workspace could not be prepared. Check the repository, the branch and the linked account.',
}
const ANY = 'Read the message, fix the cause, then retry: that makes a new task with the same parameters.'

export const Failure = ({ error, isOver }: { error: NonNullable<Task['error']>; isOver: boolean }) => (
  <Section
    title={isOver ? 'Why it failed' : 'Why the last attempt failed'}
    aside={<ErrorCode code={error.code} />}
  >
    <div className="flex flex-col gap-2 px-3.5 pt-1 pb-3">
      <Scroller label="Error" className="max-h-60 overflow-y-auto">
        <p className="font-mono text-xs leading-5 text-destructive [overflow-wrap:anywhere] whitespace-pre-wrap">
          <TextPieces text={error.message} />
        </p>
      </Scroller>
      <p className="text-muted-foreground">{advice[error.code] ?? ANY}</p>
    </div>
  </Section>
)
