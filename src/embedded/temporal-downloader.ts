/** Run as a process: `node temporal-downloader.ts <folder>` lets the SDK download its development server into the folder. */
import { TestWorkflowEnvironment } from '@temporalio/testing';

const downloadDir = process.argv[2];
try {
  // The SDK offers the download only together with a start of the server.
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir } },
  });
  await environment.teardown();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
