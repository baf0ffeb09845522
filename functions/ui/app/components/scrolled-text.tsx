import { TextPieces } from './plain-text.tsx'
import { Scroller } from './scroller.tsx'

/** A text as it was written, in a box that scrolls when it is long. */
export const ScrolledText = ({ label, text }: { label: string; text: string }) => (
  <Scroller role="group" label={label} className="max-h-48 overflow-y-auto">
    <p className="[overflow-wrap:anywhere] whitespace-pre-wrap">
      <TextPieces text={text} />
    </p>
  </Scroller>
)
