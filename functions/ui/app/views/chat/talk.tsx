import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ArrowLeft, History, Square, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { DecisionOrComposer } from '../../approvals/decision-or-composer.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Popover } from '../../components/popover.tsx'
import { errorMessage, Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { View, ViewBack } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useConversation, useRemoveConversation } from '../../data/chat.ts'
import {
  type AgentSession,
  isSessionOver,
  useConversationSessions,
  useFollowed,
  useStopSession,
} from '../../data/sessions.ts'
import { dropTurn, sendTurn, type Turn, useStopTurn, useTurn } from '../../data/turns.ts'
import { SessionState } from '../../run/session-state.tsx'
import { Columns } from './columns.tsx'
import { Composer } from './composer.tsx'
import { isUnanswered } from './placed.ts'
import { TalkLog } from './talk-log.tsx'

export const Talk = (): ReactNode => {
  const { id } = useParams({ from: '/chat/$id' })
  const talk = useConversation(id)
  const { data: sessions = [] } = useConversationSessions(id)
  const { conversation, error, refetch } = talk
  return (
    <ViewBack value={<ToList />}>
      <View
        title={conversation?.title || 'Conversation'}
        isFixed
        aside={
          conversation?.taskId && (
            <Link
              to="/tasks/$id"
              params={{ id: conversation.taskId }}
              className="underline underline-offset-2"
            >
              Open task
            </Link>
          )
        }
        actions={
          <>
            {conversation && sessions.length > 0 && <Sessions sessions={sessions} />}
            {conversation && <Remove id={id} />}
          </>
        }
      >
        <Columns list="hidden">
          <div key={id} className="flex min-h-0 min-w-0 flex-1 flex-col">
            {error && !conversation && <Problem error={error} onRetry={() => void refetch()} />}
            {!error && !conversation && <SkeletonRows />}
            {conversation && <Open id={id} talk={talk} newest={sessions[0]} />}
          </div>
        </Columns>
      </View>
    </ViewBack>
  )
}

/** On phones, where the list is not beside the conversation. */
const ToList = () => (
  <Link
    to="/chat"
    aria-label="All conversations"
    className={`-my-1 -mr-2 -ml-2.5 md:hidden ${buttonClass({ kind: 'ghost', size: 'icon' })}`}
  >
    <ArrowLeft size={18} />
  </Link>
)

type OpenProps = { id: string; talk: ReturnType<typeof useConversation>; newest: AgentSession | undefined }

const Open = ({ id, talk, newest }: OpenProps) => {
  const turn = useTurn(id)
  if (newest) return <WithSession key={newest.id} id={id} talk={talk} turn={turn} session={newest} />
  return (
    <>
      <TalkLog id={id} talk={talk} turn={turn} live={undefined} />
      <Reply id={id} talk={talk} turn={turn} isUnanswered={isUnanswered(talk.messages, undefined, false)} />
    </>
  )
}

type SessionProps = Omit<OpenProps, 'newest'> & { session: AgentSession; turn: Turn | undefined }

const WithSession = ({ id, talk, session, turn }: SessionProps) => {
  const isRunning = !isSessionOver(session)
  const followed = useFollowed(session.id, isRunning)
  const stop = useStopSession()
  // The last event precedes storing, and the next turn waits for that.
  const isGoing = isRunning && followed.connection !== 'over'
  const { refetch } = talk
  useEffect(() => {
    // The stored messages replace the run.
    if (followed.connection === 'over') void refetch()
  }, [followed.connection, refetch])
  return (
    <>
      <TalkLog id={id} talk={talk} turn={turn} live={{ session, followed }} />
      <Reply
        id={id}
        talk={talk}
        turn={turn}
        isGoing={isGoing}
        isUnanswered={isUnanswered(talk.messages, followed.run, isRunning)}
        isStopping={stop.isPending || stop.isSuccess}
        onStop={() => stop.mutate(session.id, { onError: notStopped })}
      />
    </>
  )
}

const notStopped = (error: unknown) => void toast.failed('Not stopped', errorMessage(error))

type ReplyProps = Omit<OpenProps, 'newest'> & {
  turn: Turn | undefined
  /** An answer may be due that has no session. */
  isUnanswered: boolean
  isGoing?: boolean
  isStopping?: boolean
  onStop?: () => void
}

const Reply = (props: ReplyProps) => {
  const { id, talk, turn, isUnanswered, isGoing = false, isStopping = false, onStop } = props
  const stopTurn = useStopTurn(id)
  const isWaiting = talk.messages.at(-1)?.toolCalls?.some(({ status }) => status === 'pending') ?? false
  const isSending = turn?.state === 'sending'
  const mayGoOn = isWaiting || isSending || (isUnanswered && turn === undefined)
  const blocked = isWaiting
    ? 'Allow or deny the pending tool calls first'
    : isGoing || isSending
      ? 'Wait for the answer, or stop it'
      : undefined
  const refused = turn?.state === 'refused' ? turn.content : undefined
  const ofTurn = {
    onStop: () => stopTurn.mutate(undefined, { onError: notStopped }),
    isStopping: stopTurn.isPending || stopTurn.isSuccess,
  }
  const stop = isGoing ? { onStop, isStopping } : mayGoOn ? ofTurn : {}
  return (
    <DecisionOrComposer scope={{ conversationId: id }} more={<StopTurn {...stop} />}>
      <Composer
        key={refused ?? ''}
        id={id}
        refused={refused}
        onSend={(request) => {
          dropTurn(id)
          stopTurn.reset()
          void sendTurn(id, request)
        }}
        blocked={blocked}
        {...stop}
      />
    </DecisionOrComposer>
  )
}

type StopProps = { onStop?: (() => void) | undefined; isStopping?: boolean }

/** No message is sent while a call waits, so beside the decision there is the end of the turn. */
const StopTurn = ({ onStop, isStopping = false }: StopProps) => (
  <Button
    kind="ghost"
    needsService
    disabled={onStop === undefined || isStopping}
    className="justify-center"
    onClick={onStop}
  >
    <Square size={12} /> Stop
  </Button>
)

const Sessions = ({ sessions }: { sessions: readonly AgentSession[] }) => (
  <Popover
    label="Runs of this conversation"
    trigger={
      <Button kind="ghost" size="small">
        <History size={14} /> Runs
      </Button>
    }
  >
    <ul className="max-h-80 overflow-y-auto p-1.5">
      {sessions.map((session) => (
        <li key={session.id}>
          <Link
            to="/chat/sessions/$id"
            params={{ id: session.id }}
            className="flex h-8 items-center gap-2 rounded-md px-2 hover:bg-accent"
          >
            <SessionState status={session.status} />
            <span className="min-w-0 flex-1 truncate text-muted-foreground">{session.model}</span>
            <When at={session.createdAt} className="text-muted-foreground" />
          </Link>
        </li>
      ))}
    </ul>
  </Popover>
)

const Remove = ({ id }: { id: string }) => {
  const navigate = useNavigate()
  const remove = useRemoveConversation()
  return (
    <Confirm
      verb="Delete"
      title="Delete this conversation"
      kind="ghost"
      size="icon"
      trigger={<Trash2 size={14} />}
      onConfirm={async () => {
        await remove.mutateAsync(id)
        await navigate({ to: '/chat' })
      }}
    >
      All messages are deleted. This cannot be undone.
    </Confirm>
  )
}
