import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowUp } from 'lucide-react'
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from 'react'
import { ApiError } from '../../../../../lib/api/api-error.ts'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { DecisionOrComposer } from '../../approvals/decision-or-composer.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { ErrorCode } from '../../components/error-code.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { formatNumber } from '../../components/format.ts'
import { useNarrow } from '../../components/narrow.ts'
import { withCommand } from '../../components/platform.ts'
import { errorMessage } from '../../components/problem.tsx'
import { ScrolledText } from '../../components/scrolled-text.tsx'
import { SuggestedAnswers } from '../../components/suggested-answers.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { toast } from '../../components/toast.tsx'
import { useAway } from '../../data/connection.ts'
import { dropReply, keepReply, replyKey, useDraft } from '../../data/reply-drafts.ts'
import { createSignal } from '../../data/signal.ts'
import { toThreadId, useReply, useThread } from '../../data/threads.ts'
import { editAgain } from '../../shell/edit-again.ts'
import { useKeys } from '../../shell/keys.ts'
import { columnClass } from './column.ts'

export const Reply = ({ task }: { task: Task }) => {
  const { tab = 'output', attempt } = useSearch({ from: '/tasks/$id' })
  const isInView = tab === 'output' && attempt === undefined
  return (
    <DecisionOrComposer scope={{ taskId: task.id }} toCall={!isInView && <ToCall />}>
      <Composer task={task} />
    </DecisionOrComposer>
  )
}

const ToCall = () => (
  <Link from="/tasks/$id" to="." search={{}} className={buttonClass({ kind: 'ghost' })}>
    Show the call
  </Link>
)

/** Sends a message to the thread of a task: the next turn, at once or when the running one has ended. */
const Composer = ({ task }: { task: Task }) => {
  const threadId = toThreadId(task)
  const { data: thread } = useThread(threadId)
  const isWaiting = !isFinal(thread?.status ?? task.status)
  const content = useDraft(threadId)
  const field = useRef<HTMLTextAreaElement>(null)
  const toField = useFocus(field, threadId)
  const { send, error, isPending, forget } = useSend(task, toField)
  const status = useId()
  useKeys({ reply: () => field.current?.focus() })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isPending && content.trim() !== '') void send(content)
  }
  const answer = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Leaves the field, so that page keys work again.
    if (event.key === 'Escape') return event.currentTarget.blur()
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
  }
  return (
    <form
      aria-label="Reply"
      data-composer
      noValidate
      onSubmit={submit}
      className="flex shrink-0 flex-col gap-1.5 border-t bg-card p-2 md:px-2.5"
    >
      {task.question && (
        <section aria-label="Question" className={`flex flex-col gap-2 px-1.5 md:px-5 ${columnClass}`}>
          <ScrolledText label="Text of the question" text={task.question.text} />
          <SuggestedAnswers
            options={task.question.options ?? []}
            isBusy={isPending}
            onAnswer={(option) => void send(option)}
          />
        </section>
      )}
      <div className={`md:px-3.5 ${columnClass}`}>
        <div className="flex items-end gap-2 rounded-lg border border-input bg-background p-1.5 focus-within:border-ring has-aria-invalid:border-destructive">
          <textarea
            ref={field}
            aria-label="Reply"
            title="Reply (m)"
            aria-describedby={status}
            aria-invalid={error ? true : undefined}
            rows={1}
            value={content}
            onChange={({ target }) => {
              keepReply(threadId, target.value)
              forget()
            }}
            onKeyDown={answer}
            placeholder={placeholder(task, isWaiting)}
            className="block max-h-[30vh] min-h-8 min-w-0 flex-1 resize-none bg-transparent px-1.5 py-1.5 outline-none [field-sizing:content] placeholder:text-muted-foreground"
          />
          <Button
            kind="primary"
            type="submit"
            disabled={isPending || content.trim() === ''}
            title={`Send (${withCommand('Enter')})`}
          >
            <ArrowUp size={14} /> Send
          </Button>
        </div>
      </div>
      <div
        id={status}
        role="status"
        className={`px-1.5 text-xs text-muted-foreground empty:hidden md:px-5 ${columnClass}`}
      >
        {error ? (
          <Refused error={error} task={task} content={content} />
        ) : (
          isWaiting && <p>{waitingText(thread?.messages.length ?? 0)}</p>
        )}
      </div>
    </form>
  )
}

const placeholder = ({ question }: Task, isWaiting: boolean) => {
  if (isWaiting) return 'Reply, for the next turn'
  return question ? 'Your answer' : 'What should the agent do next?'
}

const waitingText = (count: number) => {
  if (count === 0) return 'The agent gets your message when the current turn ends.'
  const messages = count === 1 ? '1 message waits' : `${formatNumber(count)} messages wait`
  return `${messages} for the current turn to end. To send ${count === 1 ? 'it' : 'them'} now, cancel that turn.`
}

/** The thread whose next turn was sent from here: its page has the focus in the same field. */
const sentThread = createSignal<string | undefined>(undefined)

const useFocus = (field: RefObject<HTMLTextAreaElement | null>, threadId: string) => {
  // The keyboard of a phone would cover half of the page.
  const isNarrow = useNarrow()
  const focus = () => !isNarrow && field.current?.focus()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page.
  useEffect(() => {
    if (sentThread.get() !== threadId) return
    sentThread.set(undefined)
    focus()
    // What was typed meanwhile goes on at its end.
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [])
  return focus
}

const useSend = (task: Task, toField: () => void) => {
  const navigate = useNavigate()
  const { mutateAsync, error, isPending, reset } = useReply()
  const threadId = toThreadId(task)
  // The callbacks of `mutate` would not run on another page.
  const send = async (content: string) => {
    const { pathname } = location
    const isHere = () => location.pathname === pathname
    try {
      const { task: next } = await mutateAsync({ taskId: task.id, content, key: replyKey(threadId, content) })
      dropReply(threadId, content)
      if (!isHere()) return
      if (next === undefined) return toField()
      sentThread.set(threadId)
      await navigate({ to: '/tasks/$id', params: { id: next.id } })
    } catch (failure) {
      // Here, the form shows it.
      if (!isHere()) toast.failed('Reply not sent', `${startOfLine(task.title)}: ${errorMessage(failure)}`)
    }
  }
  return { send, error, isPending, forget: () => error && reset() }
}

/** The thread accepts no further message. */
const FINAL: ReadonlySet<string> = new Set([
  'thread_closed',
  'thread_too_long',
  'agent_unknown',
  'stored_data_lost',
])

const advice: Readonly<Record<string, ReactNode>> = {
  too_many_messages: 'Wait for the current turn to end, or cancel it.',
  task_not_found: 'The task was deleted.',
}

type RefusedProps = { error: unknown; task: Task; content: string }

const Refused = ({ error, task, content }: RefusedProps) => {
  const isAway = useAway() !== undefined
  if (!(error instanceof ApiError))
    return (
      <p className="text-destructive">
        {isAway || !(error instanceof TypeError)
          ? `${errorMessage(error)}. Your text is kept.`
          : 'The connection was lost. Send it again. The message is not sent twice.'}
      </p>
    )
  const message = fieldErrors(error).content ?? errorMessage(error)
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <p className="min-w-0 text-destructive [overflow-wrap:anywhere]">
        {message}. {advice[error.code]} <ErrorCode code={error.code} />
      </p>
      {FINAL.has(error.code) && (
        <Button size="small" onClick={() => editAgain(task, { prompt: content })}>
          New task with this text
        </Button>
      )}
    </div>
  )
}
