import { Link } from '@tanstack/react-router'
import { buttonClass } from '../components/button.tsx'
import { Empty } from '../components/empty.tsx'
import { View } from '../components/view.tsx'

export const Lost = () => (
  <View title="Nothing here">
    <Empty title="There is no such page">
      <Link to="/" className={buttonClass()}>
        Go to the overview
      </Link>
    </Empty>
  </View>
)
