import { useEffect, useMemo, useRef } from 'react'
import { ApiError } from '../../../../../lib/api/api-error.ts'
import { Button } from '../../components/button.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { Windowed } from '../../components/windowed.tsx'
import type { ChatMessage, useConversation } from '../../data/chat.ts'
import { type AgentSession, type Followed, isSessionOver } from '../../data/sessions.ts'
import type { Turn } from '../../data/turns.ts'
import { RunView, Trouble } from '../../run/run-view.tsx'
import { Message, UserMessage } from './messages.tsx'
import { isUnanswered, placed } from './placed.ts'

type Talk = Pick<ReturnType<typeof useConversation>, 'messages' | 'onMore' | 'hasNextPage'>
type Props = {
  id: string
  talk: Talk
  live: { session: AgentSession; followed: Followed } | undefined
  turn: Turn | undefined
}

export const TalkLog = ({ id, talk, live, turn }: Props) => {
  const { messages, onMore, hasNextPage } = talk
  const isLive = live !== undefined && !isSessionOver(live.session)
  const { before, after, isShown } = placed(messages, live?.followed.run, isLive)
  const run = live?.followed.run
  const scope = useMemo(() => ({ conversationId: id }), [id])
  const last = messages.at(-1)
  return (
    // `column-reverse` keeps the end in view while it grows, and the position while older messages load.
    <Scroller
      label="Messages"
      className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto outline-offset-[-2px]"
    >
      <div className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-5 px-4 py-5 md:px-6">
        {hasNextPage && <Older onMore={onMore} />}
        <Messages messages={before} />
        {live && run?.message && isShown && (
          <>
            <UserMessage
              text={run.message.content}
              note={run.message.isCompacted ? 'Earlier messages were summarized for the model.' : undefined}
            />
            <article aria-label="Answer" aria-busy={isLive}>
              <RunView key={live.session.id} followed={live.followed} scope={scope} isOver={!isLive} />
            </article>
          </>
        )}
        <Messages messages={after} />
        <Sent turn={turn} last={last} />
        {!turn && isUnanswered(messages, run, isLive) && (
          <p role="status" className="text-muted-foreground">
            No answer yet. If one is coming, it appears here.
          </p>
        )}
      </div>
    </Scroller>
  )
}

const MESSAGE_PX = 150

const Messages = ({ messages }: { messages: readonly ChatMessage[] }) => (
  <Windowed
    items={messages}
    getKey={({ id }) => id}
    draw={(message) => <Message message={message} />}
    itemPx={MESSAGE_PX}
    className="flex w-full flex-col gap-5"
  />
)

/** A turn that is pending, refused or stopped. */
const Sent = ({ turn, last }: { turn: Turn | undefined; last: ChatMessage | undefined }) => {
  if (turn === undefined) return null
  if (turn.state === 'stopped')
    return last?.role === 'user' ? (
      <Trouble code="cancelled" message="Stopped before the model answered" />
    ) : null
  if (turn.state === 'refused') return <NotSent error={turn.error} last={last} />
  const isStored = last?.role === 'user' && last.content.trim() === turn.content.trim()
  return (
    <>
      {!isStored && <UserMessage text={turn.content} />}
      <p role="status" className="animate-pulse text-muted-foreground">
        {turn.mode === 'full' ? 'Sending' : 'Working. The answer appears when it is complete'}
      </p>
    </>
  )
}

/** A stored error of the turn is shown with its message instead. */
const NotSent = ({ error, last }: { error: unknown; last: ChatMessage | undefined }) => {
  const code = error instanceof ApiError ? error.code : ''
  return last?.error?.code === code ? null : <Trouble code={code} message={errorMessage(error)} />
}

/** Loads older messages while it is in view. */
const Older = ({ onMore }: { onMore: (() => void) | undefined }) => {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!button.current || !onMore) return
    // A new observer reports at once: also what came into view while nothing could be loaded.
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) onMore()
    })
    observer.observe(button.current)
    return () => observer.disconnect()
  }, [onMore])
  return (
    <Button
      ref={button}
      kind="ghost"
      size="small"
      className="self-center"
      disabled={!onMore}
      onClick={onMore}
    >
      Older messages
    </Button>
  )
}
