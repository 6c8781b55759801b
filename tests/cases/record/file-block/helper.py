WHERE = "beside the page, too"
