import { TextPieces } from '../../components/plain-text.tsx'
import { Windowed } from '../../components/windowed.tsx'
import { withoutWorkspace } from '../../components/workspace-path.ts'
import { Section } from './section.tsx'

const ROW_PX = 28

/** What the agent asked for and was refused. Results come from agents and may hold anything. */
export const Denied = ({ denied }: { denied: unknown }) => {
  const calls = (Array.isArray(denied) ? denied : []).filter((each) => typeof each === 'string')
  if (calls.length === 0) return null
  return (
    <Section title="Denied permissions">
      <ul className="max-h-60 overflow-y-auto pb-2">
        <Windowed
          isList
          items={calls.map((call, at) => ({ call, at }))}
          getKey={({ at }) => String(at)}
          itemPx={ROW_PX}
          atOnce={50}
          draw={({ call }) => (
            <li className="px-3.5 py-1 font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap">
              <TextPieces text={withoutWorkspace(call)} />
            </li>
          )}
        />
      </ul>
    </Section>
  )
}
