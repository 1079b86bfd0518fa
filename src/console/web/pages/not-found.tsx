import { Link } from '@tanstack/react-router';
import { Empty } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';

/** For an address that is none of the console's. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no page at this address.">
        <Link to="/">To the overview</Link>
      </Empty>
    </Page>
  );
}
