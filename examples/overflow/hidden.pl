% What an overflow hid: how much of a run is in its log, what was lost, and what can be said all the same.
% $ papaver run examples/overflow/hidden.pl examples/overflow/loop.jsonl
%
% Four workers take jobs from a queue. The stream was full and overwrote its oldest events.

span(job_get, job_done, key(tid)).

main :-
    forall(blind(From, To),
           ( Lost is (To - From) // 1000, format("nothing is known of ~d us~n", [Lost]) )),
    coverage(Percent),
    format("~1f % of the time is covered~n", [Percent]),
    event([lost=N]),
    format("~d events were lost~n~n", [N]),
    jobs.

% The data of job_get are two numbers of four bytes: the worker and the job.
jobs :-
    findall(Job, ( event([name=job_get, chrono=C]), data_words(C, 4, [_, Job]) ), Jobs),
    min_list(Jobs, First),
    max_list(Jobs, Last),
    Hidden is First - 1,
    format("jobs ~d to ~d are in the log, ~d before them are not~n", [First, Last, Hidden]),
    tally(Thread, span(job_get, Thread, _, _), Pairs),
    forall(member(Thread-Done, Pairs), format("thread ~d did ~d of them~n", [Thread, Done])).
