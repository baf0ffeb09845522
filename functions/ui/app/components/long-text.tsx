import { TextPieces } from './plain-text.tsx'
import { Scroller } from './scroller.tsx'

type Props = { label: string; text: string; className?: string }

export const LongText = ({ label, text, className = '' }: Props) => (
  <Scroller
    label={label}
    className={`max-h-[45vh] overflow-auto rounded-md border bg-muted/60 px-3 py-2.5 ${className}`}
  >
    <pre className="font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
      <TextPieces text={text} />
    </pre>
  </Scroller>
)
